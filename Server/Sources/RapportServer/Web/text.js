// Turns the coach's text into elements. Nothing here ever parses HTML: words of a person or a model
// only reach the page through createTextNode.

/** The element for a light subset of Markdown: paragraphs, lists, fenced code, **bold**, *emphasis*, `code`, links. */
export function formatted(text) {
  const fragment = document.createDocumentFragment();
  let list = null;
  let paragraph = null;
  let code = null;
  const endParagraph = () => { paragraph = null; };
  for (const line of text.split("\n")) {
    if (/^\s*```/.test(line)) {
      [list, paragraph] = [null, null];
      code = code ? null : fragment.appendChild(document.createElement("pre")).appendChild(document.createElement("code"));
      continue;
    }
    if (code) {
      code.append(`${line}\n`);
      continue;
    }
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
