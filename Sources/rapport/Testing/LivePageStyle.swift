import ScoreReport

/// The style sheet of a comparison.
enum LivePageStyle {
  static let sheet: Markup = """
    :root{color-scheme:light dark;--page:#faf9f7;--card:#fff;--ink:#1d2125;--soft:#5a626b;\
    --rule:#e2e0dc;--accent:#0b6b64;--warn:#9a4a12;--user:#eef3f2}
    @media screen and (prefers-color-scheme:dark){:root{--page:#15181b;--card:#1c2024;--ink:#e5e7e9;\
    --soft:#9aa3ad;--rule:#30363c;--accent:#5cc9bc;--warn:#e8a66a;--user:#20292b}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;background:var(--page);color:var(--ink);font:16px/1.55 system-ui,-apple-system,\
    "Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;font-variant-numeric:tabular-nums}
    main{max-width:72rem;margin:0 auto;padding:3rem 1.5rem 5rem}
    h1,h2,h3,h4,p,ul{margin:0;padding:0}ul{list-style:none}
    h1{font-size:2rem;line-height:1.15;letter-spacing:-.02em;font-weight:650}
    h2{font-size:1.375rem;line-height:1.3;letter-spacing:-.01em;font-weight:650}
    h4{font-size:1rem;font-weight:650;margin-top:2rem}
    section{margin-top:3rem}
    .lead{margin-top:.5rem;font-size:1.125rem;color:var(--soft);overflow-wrap:anywhere}
    .lead b{color:var(--ink);font-weight:600}
    .note{margin-top:.25rem;font-size:.875rem;color:var(--soft);max-width:72ch}
    .soft{color:var(--soft)}
    table{border-collapse:collapse;width:100%;margin-top:1rem;font-size:.9375rem}
    th,td{text-align:right;padding:.375rem 0 .375rem 1rem;border-top:1px solid var(--rule);\
    vertical-align:baseline}
    th:first-child,td:first-child{text-align:left;padding-left:0}
    thead th,thead td{border-top:0;font-size:.8125rem;font-weight:400;color:var(--soft);overflow-wrap:anywhere}
    tbody th{font-weight:400;overflow-wrap:anywhere}
    .totals{max-width:40rem}.totals .changed td:last-child{font-weight:650}
    .overview td{white-space:nowrap}
    a{color:inherit;text-decoration-color:var(--rule);text-underline-offset:3px}
    a:hover{text-decoration-color:var(--accent)}
    .better{color:var(--accent);font-weight:600}.worse{color:var(--warn);font-weight:600}
    .failures li{padding:.375rem 0;border-top:1px solid var(--rule);overflow-wrap:anywhere}
    .failures{margin-top:1rem}
    .talk{border-top:1px solid var(--rule);scroll-margin-top:1rem}
    h2+.talk{margin-top:1rem}.talk:last-of-type{border-bottom:1px solid var(--rule)}
    summary{cursor:pointer;display:grid;grid-template-columns:minmax(0,1fr) max-content;gap:0 1rem;\
    padding:.75rem 0 .75rem 1.25rem;list-style:none;position:relative;align-items:baseline}
    summary::-webkit-details-marker{display:none}
    summary::before{content:"▸";position:absolute;left:0;top:.8rem;font-size:.8em;color:var(--soft)}
    [open]>summary::before{content:"▾"}
    summary h3{font-size:1rem;font-weight:600;overflow-wrap:anywhere}
    summary .title{grid-column:1;color:var(--soft);font-size:.875rem}
    summary .state{grid-column:2;grid-row:1;font-size:.875rem}
    .state.same{color:var(--soft)}
    .talk>:not(summary){margin-left:1.25rem}.talk>:last-child{margin-bottom:3rem}
    .facets{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 2rem}
    .facets .gained{grid-column:2}.facets h4{margin-top:1rem}.facets li{margin-top:.25rem;font-size:.9375rem}
    .facets b{font-weight:600}.lost li::before{content:"− ";color:var(--warn)}
    .gained li::before{content:"+ ";color:var(--accent)}
    q{quotes:"“" "”"}
    .pair{display:grid;grid-template-columns:7rem repeat(2,minmax(0,1fr));gap:0 2rem;padding:.625rem 0;\
    border-top:1px solid var(--rule)}
    .pairs,.turns{margin-top:.75rem}
    .subject,.who,.about,.side,.known{font-size:.8125rem;line-height:1.45;color:var(--soft)}
    .about{color:var(--accent)}.known{color:var(--warn);font-weight:600}
    .pairs .text{font-size:.9375rem}.pair.changed .r .text{font-weight:550}
    .text{white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
    .side{display:none;font-weight:600}:is(.pairs,.turns)>:first-child .side{display:block}
    .turn{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:.75rem 2rem;padding:1rem 0;\
    border-top:1px solid var(--rule)}
    .user{background:var(--user);border-radius:8px;padding:.5rem .75rem}
    .user.both{grid-column:1/-1}.cell>.user{margin-bottom:.5rem}
    .gain{font-size:.8125rem;line-height:1.45;color:var(--soft);margin-bottom:.5rem}
    .gain li::before{content:"+ ";color:var(--accent);font-weight:600}
    :focus-visible{outline:2px solid var(--accent);outline-offset:2px}
    @media (max-width:44rem){main{padding:2rem 1rem 4rem}section{margin-top:2.5rem}
    .c-facets,.c-asked,.c-tokens{display:none}
    summary{grid-template-columns:minmax(0,1fr)}summary .state{grid-column:1;grid-row:auto}
    .talk>:not(summary){margin-left:0}.facets,.turn,.pair{grid-template-columns:minmax(0,1fr)}
    .facets .gained{grid-column:1}.pair,.turn{gap:.5rem}.side{display:block}
    .cell{border-left:2px solid var(--rule);padding-left:.75rem}.cell.r{border-color:var(--accent)}}
    @media print{details.talk::details-content{content-visibility:visible;display:block;block-size:auto}\
    @page{margin:16mm 14mm}body{font-size:10pt;background:none}main{max-width:none;padding:0}\
    summary::before{display:none}.pair,.turn{break-inside:avoid}h2,h4,summary{break-after:avoid}}

    """
}
