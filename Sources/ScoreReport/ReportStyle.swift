/// The report's style sheet.
enum ReportStyle {
  static let sheet: Markup = """
    :root{color-scheme:light dark;--page:#faf9f7;--card:#fff;--ink:#1d2125;--soft:#5a626b;\
    --rule:#e2e0dc;--grid:#ebe9e5;--accent:#0b6b64;--quiet:#868f98;--track:#eceae6;--bar:#9a4a12;\
    --mark:#fbeec2;--mark-line:#a8791a;--mark-ink:#1d2125;--tip:#1d2125;--tip-ink:#faf9f7;\
    --h0:#e9ecec;--h1:#d1e1df;--h2:#b9d5d2;--h3:#a1cac5;--h4:#89beb8;--h5:#6fb3ab;--h6:#5b9d96;\
    --h7:#488781;--h8:#35726d;--h9:#215e59;--h10:#0a4a46}
    @media screen and (prefers-color-scheme:dark){:root{--page:#15181b;--card:#1c2024;--ink:#e5e7e9;\
    --soft:#9aa3ad;--rule:#30363c;--grid:#2a2f35;--accent:#5cc9bc;--quiet:#717c87;--track:#2a2f35;\
    --bar:#e8a66a;--mark:#4b3d14;--mark-line:#c99a35;--mark-ink:#f6ead0;--tip:#e5e7e9;\
    --tip-ink:#15181b;--h0:#262c31;--h1:#2a3c3e;--h2:#2e4c4c;--h3:#305c5a;--h4:#306d69;--h5:#2f7f78;\
    --h6:#48948d;--h7:#60aaa2;--h8:#78c1b7;--h9:#90d8cd;--h10:#a8efe4}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,\
    "Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;font-variant-numeric:tabular-nums}
    main{max-width:72rem;margin:0 auto;padding:3rem 1.5rem 5rem}
    h1,h2,h3,p,dl,dd,ul,ol,figure{margin:0;padding:0}
    ul,ol{list-style:none}
    h1{font-size:2rem;line-height:1.15;letter-spacing:-.02em;font-weight:650}
    h2{font-size:1.125rem;line-height:1.3;letter-spacing:-.005em;font-weight:650}
    section{margin-top:3.5rem}
    section>h2{font-size:1.375rem;letter-spacing:-.01em}
    .lead{margin-top:.5rem;font-size:1.125rem;color:var(--soft)}
    .note{margin-top:.25rem;font-size:.875rem;color:var(--soft);max-width:68ch}
    .sample{margin-top:1.25rem;font-size:.9375rem;color:var(--soft);max-width:72ch}
    .tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:1.5rem;margin-top:2.25rem;\
    padding:1.25rem 0;border:solid var(--rule);border-width:1px 0}
    .tiles dt,.tiles span{font-size:.875rem;color:var(--soft)}
    .tiles b{display:block;font-size:1.875rem;line-height:1.25;font-weight:600;letter-spacing:-.02em}
    .tiles span{display:block;line-height:1.35}
    .plots{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:1.5rem;margin-top:2.5rem}
    .plot{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:1.25rem;min-width:0;display:flex;flex-direction:column}
    .plot figcaption{min-height:4.5rem}
    .plot>svg{margin-top:.5rem}
    svg{display:block;width:100%;height:auto;overflow:visible}
    svg text{font-size:11.5px;fill:var(--soft)}
    svg .label,svg .value{font-size:12.5px;fill:var(--ink)}
    .grid{stroke:var(--grid)}.axis{stroke:var(--quiet)}
    .bar{stroke:var(--bar);stroke-dasharray:4 3}svg .bar-name{fill:var(--bar)}
    .ready,.missed{fill:var(--accent)}.unready{fill:var(--quiet)}.track{fill:var(--track)}
    .missed{fill:var(--quiet)}.under{fill:var(--card)}
    .curve,.quiet{fill:none;stroke:var(--accent);stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}
    .quiet{stroke:var(--quiet);stroke-width:1.5;stroke-dasharray:2 4}
    .dot{fill:var(--card);stroke:var(--accent);stroke-width:2}
    .key{display:inline-block;width:1.25rem;border-top:2px solid var(--accent);vertical-align:middle;\
    margin-right:.375rem}
    .quiet-key{border-top:2px dotted var(--quiet);margin-left:.5rem}
    .numbers{margin-top:auto;padding-top:.75rem;font-size:.8125rem;color:var(--soft)}
    summary{cursor:pointer}
    .numbers table{width:100%;margin-top:.5rem;border-collapse:collapse}
    .numbers th,.numbers td{padding:.25rem .5rem .25rem 0;border-top:1px solid var(--grid);text-align:right}
    .numbers th:first-child{text-align:left}.numbers th{font-weight:400}
    .heat{display:grid;grid-template-columns:minmax(7rem,max-content) minmax(0,var(--cells)) 2.25rem;\
    column-gap:1rem;margin-top:1.25rem}
    .heat-names li,.heat-means li{height:30px;display:flex;align-items:center;font-size:.875rem;\
    line-height:1.15;padding-bottom:3px}
    .heat-names li:first-child,.heat-means li:first-child{height:40.5px;padding-bottom:13.5px;font-weight:650}
    .heat-means li{justify-content:flex-end;color:var(--soft)}
    .cells{shape-rendering:crispEdges;overflow:hidden}
    .heat-axis{grid-column:2;display:flex;justify-content:space-between;gap:1rem;\
    font-size:.8125rem;color:var(--soft);margin-top:.375rem}
    .over{fill:transparent}.over:hover,a:focus .over{fill:var(--ink);fill-opacity:.18}
    .h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}\
    .h5{fill:var(--h5)}.h6{fill:var(--h6)}.h7{fill:var(--h7)}.h8{fill:var(--h8)}.h9{fill:var(--h9)}\
    .h10{fill:var(--h10)}
    .legend{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .5rem;margin-top:.75rem;\
    font-size:.8125rem;color:var(--soft)}
    .legend .swatches{width:132px;flex:none}.legend .note{margin:0 0 0 1rem;font-size:inherit}
    .talk{border-top:1px solid var(--rule);scroll-margin-top:1rem}
    .talk:first-of-type{margin-top:1.25rem}.talk:last-of-type{border-bottom:1px solid var(--rule)}
    .talk>summary{display:grid;grid-template-columns:2.25rem minmax(0,1fr) 7rem 3.25rem 9.5rem;\
    gap:.25rem 1rem;align-items:center;padding:.625rem 0;list-style:none}
    .talk>summary::-webkit-details-marker{display:none}
    .talk>summary:hover h3{text-decoration:underline;text-underline-offset:3px}
    .no{font-size:.8125rem;color:var(--soft);text-align:right}
    .no::before{content:"▸";display:inline-block;margin-right:.35em;font-size:.75em}
    .talk[open] .no::before{content:"▾"}
    .talk h3{font-size:1rem;font-weight:550;overflow-wrap:anywhere;line-height:1.3;\
    display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
    .spark{height:26px}.spark .curve{stroke-width:2;vector-effect:non-scaling-stroke}
    .spark .bar{vector-effect:non-scaling-stroke;opacity:.55}
    .score{font-weight:600;text-align:right}
    .state{font-size:.8125rem;line-height:1.25;color:var(--soft)}.state.yes{color:var(--accent);font-weight:600}
    .talk-body{padding:.75rem 0 2.5rem 3.25rem;scroll-margin-top:4rem}
    .overview{display:grid;grid-template-columns:minmax(0,26rem) minmax(0,1fr);gap:2.5rem;align-items:start}
    .components{width:100%;border-collapse:collapse;font-size:.875rem}
    .components caption{text-align:left;color:var(--soft);font-size:.8125rem;padding-bottom:.25rem}
    .components th{font-weight:400;text-align:left;padding:.1875rem 1rem .1875rem 0;line-height:1.25;width:14rem}
    .components .figure{text-align:right;width:4rem;color:var(--soft);white-space:nowrap}
    .meter svg{height:8px}
    .unsaid{margin-top:1.25rem;font-size:.875rem;color:var(--soft);max-width:80ch}.unsaid b{font-weight:600;color:var(--ink)}
    .words{margin-top:1.75rem}
    .words>li{display:grid;grid-template-columns:minmax(0,62ch) minmax(0,1fr);grid-template-rows:auto 1fr;gap:0 2.5rem;\
    padding:.625rem 0 .625rem 1rem;border-left:2px solid transparent}
    .words>.user{border-left-color:var(--accent)}
    .who{grid-column:1;font-size:.8125rem;color:var(--soft)}
    .text{grid-column:1;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
    .coach .text{color:var(--soft)}
    .gain{grid-column:2;grid-row:1/span 2;font-size:.8125rem;line-height:1.45;color:var(--soft)}
    .gain .change{color:var(--ink);font-weight:600}
    .gain li::before{content:"+ ";color:var(--accent);font-weight:600}
    .gain li.lost::before{content:"− ";color:var(--bar)}
    mark{position:relative;background:var(--mark);color:var(--mark-ink);border-radius:2px;\
    box-shadow:inset 0 -2px var(--mark-line);padding:.05em 0;-webkit-box-decoration-break:clone;\
    box-decoration-break:clone;cursor:help}
    mark.gone,.was{background:none;color:inherit;box-shadow:none;text-decoration:underline dotted var(--bar);\
    text-decoration-thickness:2px;text-underline-offset:3px}
    mark:hover::after,mark:focus::after{content:attr(aria-label);position:absolute;left:0;top:100%;\
    z-index:2;width:max-content;max-width:20rem;margin-top:.3rem;padding:.3rem .6rem;border-radius:6px;\
    background:var(--tip);color:var(--tip-ink);font-size:.8125rem;line-height:1.35;white-space:normal;\
    pointer-events:none}
    :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
    .cut{font-size:.8125rem;color:var(--soft)}
    .rubric{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:1rem 2.5rem;margin-top:1.25rem;font-size:.875rem}
    .rubric dt{font-weight:600}.rubric dt span,.rubric dd{color:var(--soft);font-weight:400}
    @media screen and (min-width:60rem){.plots svg text{font-size:13px}.plots svg .label,\
    .plots svg .value{font-size:14px}}
    @media (max-width:60rem){.plots{grid-template-columns:repeat(2,minmax(0,1fr))}.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}\
    .overview{grid-template-columns:minmax(0,1fr)}.words>li{grid-template-columns:minmax(0,1fr);grid-template-rows:auto}\
    .gain{grid-column:1;grid-row:3;margin-top:.375rem}.gain ul{display:flex;flex-wrap:wrap;gap:0 .875rem}\
    .talk-body{padding-left:0}}
    @media (max-width:44rem){main{padding:2rem 1rem 4rem}section{margin-top:2.75rem}\
    .plots,.rubric{grid-template-columns:minmax(0,1fr)}.plot{padding:1rem}.plot figcaption{min-height:0}\
    .tiles{gap:1.25rem 1rem}\
    .heat{grid-template-columns:6.75rem minmax(0,var(--cells)) 1.75rem;column-gap:.5rem}\
    .heat-names li,.heat-means li{font-size:.75rem}.legend .note{margin-left:0}\
    .talk>summary{grid-template-columns:2rem minmax(0,1fr) 3.25rem;gap:.125rem .625rem}\
    .talk .spark{grid-column:2;grid-row:2}.talk .score{grid-column:3;grid-row:1}\
    .talk .state{grid-column:2/-1;grid-row:3}.components th{width:9rem;padding-right:.5rem}\
    .words>li{padding-left:.75rem}\
    mark:hover::after,mark:focus::after{position:fixed;left:1rem;right:1rem;top:auto;bottom:1rem;\
    width:auto;max-width:none;padding:.75rem 1rem;font-size:.9375rem}}
    @media print{details.talk::details-content{content-visibility:visible;display:block;block-size:auto}@page{margin:16mm 14mm}body{font-size:10.5pt;background:none}main{max-width:none;padding:0 1px}\
    section{margin-top:2rem}.plots{grid-template-columns:repeat(3,minmax(0,1fr));gap:.75rem}\
    .plot{padding:.75rem}.plot figcaption{min-height:5.5rem}.plot .note{font-size:.75rem}\
    .plots svg text{font-size:13.5px}.plots svg .label,.plots svg .value{font-size:14px}.tiles{grid-template-columns:repeat(4,minmax(0,1fr))}\
    .screen,.numbers,.no::before{display:none}.plot,.heat,.overview,.tiles,.words>li,.rubric>div\
    {break-inside:avoid}h2,summary,.who,.note{break-after:avoid}mark{-webkit-print-color-adjust:exact;\
    print-color-adjust:exact}mark::after{display:none}.overview{grid-template-columns:repeat(2,minmax(0,1fr))}\
    .words>li{grid-template-columns:minmax(0,1fr) 12rem;grid-template-rows:auto 1fr}.gain{grid-column:2;grid-row:1/span 2}\
    .gain ul{display:block}.talk-body{padding-left:0}}

    """
}
