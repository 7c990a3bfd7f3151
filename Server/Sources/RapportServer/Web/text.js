// Turns the coach's text into elements. Nothing here ever parses HTML: words of a person or a model
// only reach the page through createTextNode.

/** The element for a light subset of Markdown: paragraphs, lists, tables, fenced code, **bold**, *emphasis*, `code`, links. */
export function formatted(text) {
  const fragment = document.createDocumentFragment();
  let list = null;
  let paragraph = null;
  let code = null;
  let table = null;
  const endParagraph = () => { paragraph = null; };
  const lines = text.split("\n");
  for (const [place, line] of lines.entries()) {
    if (/^\s*```/.test(line)) {
      [list, paragraph, table] = [null, null, null];
      code = code ? null : fragment.appendChild(document.createElement("pre")).appendChild(document.createElement("code"));
      continue;
    }
    if (code) {
      code.append(`${line}\n`);
      continue;
    }
    const cells = cellsOf(line);
    if (cells && (table || isRule(lines[place + 1]))) {
      [list, paragraph] = [null, null];
      const name = table ? "td" : "th";
      table ??= fragment.appendChild(document.createElement("table"));
      if (!isRule(line)) table.appendChild(row(cells, name));
      continue;
    }
    table = null;
    const bullet = line.match(/^\s*(?:[-*•]|(\d{1,3})[.)])\s+(.*)$/);
    if (bullet) {
      endParagraph();
      const kind = bullet[1] === undefined ? "ul" : "ol";
      if (!list || list.localName !== kind) {
        list = fragment.appendChild(document.createElement(kind));
        if (kind === "ol") list.start = Number(bullet[1]);
      }
      list.appendChild(spans(document.createElement("li"), bullet[2]));
      continue;
    }
    list = null;
    if (line.trim() === "") {
      endParagraph();
      continue;
    }
    if (paragraph) {
      paragraph.appendChild(document.createElement("br"));
    } else {
      paragraph = fragment.appendChild(document.createElement("p"));
    }
    spans(paragraph, line.replace(/^#{1,4}\s+/, ""));
  }
  return fragment;
}

/** The cells of a table's line; null if it's none. */
function cellsOf(line) {
  const inner = line.match(/^\s*\|(.*)\|\s*$/)?.[1];
  return inner?.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|")) ?? null;
}

/** Whether a line is what stands between a table's head and its rows. */
function isRule(line = "") { return cellsOf(line)?.every((cell) => /^:?-+:?$/.test(cell)) ?? false; }

function row(cells, name) {
  const made = document.createElement("tr");
  made.append(...cells.map((cell) => spans(document.createElement(name), cell)));
  return made;
}

/** Adds a line to an element, with its **bold**, *emphasis*, `code` and links. */
export function spans(parent, line) {
  const marks = /\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|`([^`\n]+)`|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>"]*[\p{L}\p{N}/])/gu;
  let from = 0;
  for (const match of line.matchAll(marks)) {
    parent.append(line.slice(from, match.index));
    const [, bold, emphasis, code, name, address, bare] = match;
    if (address ?? bare) {
      const href = address ?? bare;
      parent.appendChild(element("a", name ?? bare, { href, target: "_blank", rel: "noopener noreferrer" }));
    } else {
      parent.appendChild(element(bold ? "strong" : emphasis ? "em" : "code", bold ?? emphasis ?? code));
    }
    from = match.index + match[0].length;
  }
  parent.append(line.slice(from));
  return parent;
}

/** An element holding text, with the given properties and data attributes. */
export function element(name, text = "", properties = {}) {
  const made = document.createElement(name);
  if (text !== "") made.textContent = text;
  return Object.assign(made, properties);
}
