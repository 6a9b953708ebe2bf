/** Styles of the report page; both colour schemes by the reader's setting. */
export const reportStyle = `
:root{--ink:#1b2330;--quiet:#667085;--paper:#fbfaf7;--card:#fff;--line:#e3e1da;--sea:#1f6f8b;--good:#2e7d4f;--bad:#b3372f;--warn:#a86a12}
@media(prefers-color-scheme:dark){:root{--ink:#e6e4dd;--quiet:#98a2b3;--paper:#12171f;--card:#1a212b;--line:#2c3542;--sea:#5fb3cc;--good:#6cc08b;--bad:#f0867d;--warn:#e0ad5b}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.7rem;margin:0 0 1rem;letter-spacing:-.01em}
h1 b{font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;vertical-align:.3em;padding:.15rem .5rem;border:1px solid currentColor;border-radius:1rem}
h2{font-size:1rem;margin:2.2rem 0 .6rem}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:.8rem 1.5rem;margin:0}
dt{color:var(--quiet);font-size:.8rem}dd{margin:0;overflow-wrap:anywhere}
a{color:var(--sea)}code{font:.88em ui-monospace,monospace;overflow-wrap:anywhere}
.steps,.scroll,.failure{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.5rem 1rem;overflow-x:auto}
.failure{margin-top:1.5rem;border-left:4px solid var(--bad)}.failure h2{margin:.4rem 0}.failure p{margin:.3rem 0}
.step{display:grid;grid-template-columns:1.2rem 11rem 1fr 5rem;gap:.6rem;align-items:center;padding:.35rem 0}
.step span{overflow-wrap:anywhere}.step small{display:block;color:var(--quiet);font-size:.75rem;line-height:1.2}.step em{font-style:normal;text-align:right;color:var(--quiet);font-variant-numeric:tabular-nums}
.lane{position:relative;height:.9rem;background:var(--paper);border-radius:.3rem}
.bar{position:absolute;top:0;bottom:0;border-radius:.3rem;background:var(--quiet)}
.bar.done{background:var(--good)}.bar.failed{background:var(--bad)}.bar.running{background:var(--sea)}.bar.approval{background:var(--warn)}
b.done{color:var(--good)}b.failed{color:var(--bad)}b.running{color:var(--sea)}b.approval,b.paused,b.cancelled{color:var(--warn)}
table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--quiet);font-weight:500;font-size:.8rem}
th,td{padding:.35rem .8rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}tbody tr:last-child td{border-bottom:0}
.n{text-align:right;font-variant-numeric:tabular-nums}.quiet,footer{color:var(--quiet)}footer{margin-top:3rem;font-size:.8rem}
.fate.rejected,.fate.failed,.fate.missing{color:var(--bad)}.fate.changed{color:var(--warn)}
@media(max-width:40rem){.step{grid-template-columns:1.2rem 1fr 4rem}.lane{grid-column:2/4;grid-row:2}}
`;
