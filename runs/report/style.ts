/** Styles of the report page; both colour schemes by the reader's setting. */
export const reportStyle = `
:root{--ink:#1b2330;--quiet:#667085;--paper:#fbfaf7;--card:#fff;--line:#e3e1da;--sea:#1f6f8b;--good:#2e7d4f;--bad:#b3372f;--warn:#a86a12;--shade:#f1dfbf}
@media(prefers-color-scheme:dark){:root{--ink:#e6e4dd;--quiet:#98a2b3;--paper:#12171f;--card:#1a212b;--line:#2c3542;--sea:#5fb3cc;--good:#6cc08b;--bad:#f0867d;--warn:#e0ad5b;--shade:#4a3b22}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:68rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;margin:0 0 1rem;letter-spacing:-.01em}
h1 b{font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;vertical-align:.3em;padding:.15rem .5rem;border:1px solid currentColor;border-radius:1rem}
h2{font-size:1rem;margin:2.2rem 0 .6rem}
h3{font-size:.95rem;margin:.3rem 0 .6rem}h3 small,figcaption small{font-weight:400;color:var(--quiet);margin-left:.6rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.8rem 1.5rem;margin:0}
dt{color:var(--quiet);font-size:.8rem}dd{margin:0;overflow-wrap:anywhere}
a{color:var(--sea)}code{font:.88em ui-monospace,monospace;overflow-wrap:anywhere}td code{overflow-wrap:break-word}
.steps,.scroll,.failure,.panel{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.5rem 1rem;overflow-x:auto}
.failure{margin-top:1.5rem;border-left:4px solid var(--bad)}.failure h2{margin:.4rem 0}.failure p{margin:.3rem 0}
.step{display:grid;grid-template-columns:1.2rem 11rem 1fr 5rem;gap:.6rem;align-items:center;padding:.35rem 0}
.step span{overflow-wrap:anywhere}.step small{display:block;color:var(--quiet);font-size:.75rem;line-height:1.2}.step em{font-style:normal;text-align:right;color:var(--quiet);font-variant-numeric:tabular-nums}
.lane{position:relative;height:.9rem;background:var(--paper);border-radius:.3rem}
.waits{border-top:1px dashed var(--line)}
.bar{position:absolute;top:0;bottom:0;border-radius:.15rem;background:var(--quiet)}
.bar.done{background:var(--good)}.bar.failed{background:var(--bad)}.bar.running{background:var(--sea)}.bar.approval,.bar.wait{background:var(--warn)}
.bar.prepare,.bar.finish{opacity:.45}
.mark{position:absolute;top:-.25rem;bottom:-.25rem;width:2px;margin-left:-1px;background:var(--warn)}
.mark.lost,.mark.failure{background:var(--bad)}.mark.lost::before{content:"";position:absolute;top:-.1rem;left:-3px;border:4px solid transparent;border-top-color:var(--bad)}
.ticks{padding-top:0}.ticks .lane{display:flex;justify-content:space-between;background:none;height:auto}
.ticks i{font-style:normal;font-size:.72rem;color:var(--quiet);font-variant-numeric:tabular-nums}
.legend{margin:.3rem 0 .2rem;font-size:.75rem;color:var(--quiet);line-height:1.9}.legend span{white-space:nowrap}
.legend i{display:inline-block;position:relative;top:.1em;bottom:auto;height:.75em;margin:0 .2rem 0 .8rem}.legend .bar{width:1.2em}.legend .bar.work,.legend .bar.prepare{background:var(--good)}.legend .mark{width:3px}
.panel{margin-bottom:1rem}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21rem),1fr));gap:1rem 1.8rem}
.plot{margin:0}.plot figcaption{font-size:.8rem;margin-bottom:.3rem}
.axes{display:grid;grid-template-columns:3.6rem 1fr;gap:.2rem .5rem}
.axes svg{width:100%;height:7.5rem;display:block;overflow:visible}
.axes i{font-style:normal;font-size:.72rem;color:var(--quiet);font-variant-numeric:tabular-nums;line-height:1}
.scale{display:flex;flex-direction:column;justify-content:space-between;text-align:right;margin:-.35rem 0}
.ends{grid-column:2;display:flex;justify-content:space-between}
.grid{stroke:var(--line);fill:none}.area{fill:var(--sea);opacity:.18}.line{stroke:var(--sea);fill:none;stroke-width:1.6}.bin{fill:var(--sea)}
.axes .wait{fill:var(--shade)}.axes .lost{stroke:var(--bad);stroke-dasharray:3 3;stroke-width:1.6}
.grid,.line,.axes .lost{vector-effect:non-scaling-stroke}
details{margin-top:2.2rem}summary{cursor:pointer;font-weight:600}
table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--quiet);font-weight:500;font-size:.8rem}
th,td{padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}tbody tr:last-child td{border-bottom:0}
b.done{color:var(--good)}b.failed{color:var(--bad)}b.running{color:var(--sea)}b.approval,b.paused,b.cancelled,b.refused{color:var(--warn)}
.n{text-align:right;font-variant-numeric:tabular-nums}.quiet,footer{color:var(--quiet)}footer{margin-top:3rem;font-size:.8rem}
.fate.rejected,.fate.failed,.fate.missing,.fate.stalled,.fate.capped{color:var(--bad)}.fate.changed,.fate.spent{color:var(--warn)}
@media(max-width:40rem){main{padding:1.2rem .8rem 3rem}.step{grid-template-columns:1.2rem 1fr 4rem}.lane{grid-column:2/4;grid-row:2}.ticks .lane{grid-row:1}}
`;
