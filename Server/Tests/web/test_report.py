"""The HTML report of `rapport score` on a phone."""

import json
import subprocess

import pytest

from conftest import LINES, RAPPORT

# Boxes of text that stand on each other.
OVERLAPS = """() => {
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!data.trim() || parentElement.closest("style, script") || !parentElement.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const box of range.getClientRects()) {
      if (box.width > 2 && box.height > 2) boxes.push({ node: walker.currentNode, text: data.trim().slice(0, 40), box });
    }
  }
  const found = [];
  boxes.forEach((one, place) => {
    for (const other of boxes.slice(place + 1)) {
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (one.node !== other.node && width > 2 && height > 0.35 * Math.min(one.box.height, other.box.height)) {
        found.push(`${one.text} | ${other.text}`);
      }
    }
  });
  return found;
}"""


@pytest.mark.parametrize("width", [360, 420, 800])
def test_no_two_lines_stand_on_each_other(browser_context, tmp_path, width):
    talks = [
        {"id": f"a-conversation-with-a-rather-long-name-{count}", "messages": [
            message for line in LINES[:count]
            for message in ({"role": "user", "content": line}, {"role": "assistant", "content": "And what else?"})]}
        for count in (1, 2, 4)]
    (tmp_path / "talks.jsonl").write_text("".join(json.dumps(talk) + "\n" for talk in talks))
    report = subprocess.run(
        [RAPPORT, "score", "talks.jsonl", "--format", "html"], cwd=tmp_path, capture_output=True, check=True)
    page = browser_context(viewport={"width": width, "height": 900}).new_page()
    page.set_content(report.stdout.decode())
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    assert page.evaluate(OVERLAPS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
