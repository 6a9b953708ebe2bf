const listed = `
a about above after again against all also although always am among an and another any anything are around as at away back be because been before being below best better between both but by
came can cannot come could day did do does doing done down during each either else ever every everything far few first for found from full gave get give given go goes going gone good got great had has have having
he her here hers herself him himself his how however if in into is it its itself just keep kind know last least less let like little long look made make makes making man many may me men might more most much must my myself
near need never new next no none nor not nothing now null of off often old on once one only onto or other others our out over own part people perhaps place put quite rather really said same saw say says see seem seems seen
several she should since small so some something soon still such take taken than that the their theirs them themselves then there these they thing things think this those though three through time to together too took toward
two under until up upon us use used using very want was way we well went were what when where whether which while who whole whom whose why will with within without would year years yes yet you your yours
der die das und ist ein eine einer eines dem den des im in mit auf für von zu nicht auch sich als aus bei nach wie wird sind war oder aber
le la les un une des du de et est en que qui dans pour pas sur par avec son ses aux ce cette il elle nous vous sont était plus mais
el la los las un una de del y que en es por con para su sus se al como más pero fue son este esta
il lo gli una di del della e che in per con non si sono come più ma
het een van en is op te dat die voor met niet zijn aan ook maar om`;

/** Words that name nothing, of the languages that texts are most often in. */
export const commonWords: ReadonlySet<string> = new Set(listed.split(/\s+/).filter(Boolean));
