// What a task page does beyond its forms: keys, the time that it was looked at, words marked in a passage, and answers
// that wait while the network is gone. The next task comes with the receipt of an answer, and is shown in its place.
// Without this file everything can be answered all the same.

let form;
let status;
let sides;
let sending;

// What the task that is shown now needs; the listeners of the document and the window below serve all tasks.
function begin() {
  form = document.getElementById("answer");
  status = document.getElementById("status");
  sides = [...document.querySelectorAll(".texts.two .text")];
  sending = false;
  [looked, since] = [0, document.visibilityState === "visible" ? performance.now() : null];
  seen = { left: Number(form.elements.left.value), pasted: Number(form.elements.pasted.value) };
  form.addEventListener("paste", () => { seen.pasted += 1; });
  form.addEventListener("submit", submit);
  scrollTogether();
  offerDifferences();
}

// ---- the time that the page was looked at -------------------------------------------------------------------------

let looked;
let since;

function pauseClock() {
  if (since !== null) looked += performance.now() - since;
  since = null;
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") since = performance.now();
  else pauseClock();
});

function secondsLooked() {
  const now = since === null ? 0 : performance.now() - since;
  return ((looked + now) / 1000).toFixed(1);
}

// ---- what whoever reads the answers may want to know ---------------------------------------------------------------

let seen;
window.addEventListener("blur", () => { seen.left += 1; });

// ---- keys ---------------------------------------------------------------------------------------------------------

function isTyping(target) {
  return target.matches("textarea, input:not([type=radio])");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const button = document.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
  if (button) {
    event.preventDefault();
    button.click();
    return;
  }
  if (event.key === "Enter" && !event.target.closest("button, summary, a") && document.getElementById("send")) {
    event.preventDefault();
    document.getElementById("send").click();
    return;
  }
  chooseByNumber(event);
});

// A number chooses in the first group of options that has no answer yet, or in the one with the focus.
function chooseByNumber(event) {
  if (!/^[0-9]$/.test(event.key)) return;
  const groups = [...form.querySelectorAll("fieldset.choices")];
  const own = event.target.closest ? event.target.closest("fieldset.choices") : null;
  const group = own || groups.find((one) => !one.querySelector("input:checked"));
  if (!group) return;
  const options = [...group.querySelectorAll("input[type=radio]")];
  const option = options.find((one) => one.value === event.key) || options[Number(event.key) - 1];
  if (!option) return;
  event.preventDefault();
  option.checked = true;
  const next = groups[groups.indexOf(group) + 1];
  (next ? next.querySelector("input[type=radio]") : option).focus({ preventScroll: false });
}

// ---- two texts side by side ---------------------------------------------------------------------------------------

// Scrolling one of two long texts scrolls the other by the same share.
function scrollTogether() {
  let leading = null;
  for (const side of sides) {
    for (const start of ["pointerenter", "focusin", "touchstart"]) {
      side.addEventListener(start, () => { leading = side; }, { passive: true });
    }
    side.addEventListener("scroll", () => {
      if (leading !== side) return;
      const other = sides.find((one) => one !== side);
      const far = side.scrollHeight - side.clientHeight;
      if (other && far > 0) other.scrollTop = (side.scrollTop / far) * (other.scrollHeight - other.clientHeight);
    });
  }
}

const MOST_WORDS = 3000;

// The words of a text, each with the text node that it stands in.
function wordsOf(side) {
  const words = [];
  const walker = document.createTreeWalker(side, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    for (const found of walker.currentNode.data.matchAll(/[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu)) {
      words.push({ node: walker.currentNode, at: found.index, word: found[0] });
    }
  }
  return words;
}

// Leaves those words that stand in only one of two texts: all but a longest common subsequence.
function differing(one, other) {
  const wide = other.length + 1;
  const longest = new Uint16Array((one.length + 1) * wide);
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) {
      longest[i * wide + j] = one[i].word === other[j].word
        ? longest[(i + 1) * wide + j + 1] + 1
        : Math.max(longest[(i + 1) * wide + j], longest[i * wide + j + 1]);
    }
  }
  const left = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i].word === other[j].word) [i, j] = [i + 1, j + 1];
    else if (j === other.length || (i < one.length && longest[(i + 1) * wide + j] >= longest[i * wide + j + 1])) {
      left.push(one[i]);
      i += 1;
    } else {
      left.push(other[j]);
      j += 1;
    }
  }
  return left;
}

function offerDifferences() {
  const differences = document.getElementById("differences");
  const counts = sides.map((side) => wordsOf(side).length);
  if (!differences || Math.max(...counts) > MOST_WORDS) return;
  const plain = sides.map((side) => [...side.childNodes].map((node) => node.cloneNode(true)));
  differences.parentElement.hidden = false;
  differences.addEventListener("click", () => {
    const marked = differences.getAttribute("aria-pressed") === "true";
    differences.setAttribute("aria-pressed", String(!marked));
    sides.forEach((side, k) => side.replaceChildren(...plain[k].map((node) => node.cloneNode(true))));
    if (marked) return;
    for (const { node, at, word } of differing(wordsOf(sides[0]), wordsOf(sides[1])).reverse()) {
      const range = document.createRange(); // from the end, so that earlier places stay where they are
      range.setStart(node, at);
      range.setEnd(node, at + word.length);
      range.surroundContents(document.createElement("mark"));
    }
  });
}

// ---- words marked in a passage ------------------------------------------------------------------------------------

document.addEventListener("selectionchange", () => {
  const selection = document.getSelection();
  const words = selection ? selection.toString().trim() : "";
  const node = selection && selection.anchorNode ? selection.anchorNode.parentElement : null;
  const passage = node ? node.closest("[data-mark]") : null;
  if (passage && words && passage.textContent.includes(words)) {
    document.getElementById(passage.dataset.mark).value = words;
  }
});

// ---- sending ------------------------------------------------------------------------------------------------------

const WAIT = 4000;

function submit(event) {
  if ("plain" in form.dataset) return; // a question of the tutorial
  event.preventDefault();
  if (sending) return;
  sending = true;
  form.elements.seconds.value = secondsLooked();
  form.elements.left.value = seen.left;
  form.elements.pasted.value = seen.pasted;
  const data = new URLSearchParams(new FormData(form, event.submitter));
  for (const button of document.querySelectorAll("button")) button.disabled = true;
  send(data);
}

// The server keeps the first answer to a task, so that sending again does no harm.
async function send(data) {
  try {
    const answer = await fetch(form.action, { method: "POST", body: data });
    if (answer.status >= 500) throw new Error(answer.statusText);
    if (answer.redirected) follow(answer.url, await answer.text());
    else show(data);
  } catch {
    status.textContent = form.dataset.waiting;
    status.classList.add("waiting");
    setTimeout(() => send(data), WAIT);
  }
}

// The page that comes after an answer: another task takes the place of this one, and anything else is opened.
function follow(address, text) {
  const next = new DOMParser().parseFromString(text, "text/html");
  if (!next.getElementById("answer")) {
    location.assign(address);
    return;
  }
  document.querySelector("main").replaceWith(next.querySelector("main"));
  document.title = next.title;
  history.replaceState(null, "", address);
  begin();
  window.scrollTo(0, 0);
  const heading = document.querySelector("h1");
  heading.tabIndex = -1; // so that whoever hears the page hears the next question
  heading.focus();
}

// The server saved nothing, and says why or asks once more: the same answer in the browser's own way shows its page.
function show(data) {
  const again = document.createElement("form");
  [again.method, again.action] = ["post", form.action];
  for (const [name, value] of data) {
    const field = document.createElement("input");
    [field.type, field.name, field.value] = ["hidden", name, value];
    again.append(field);
  }
  document.body.append(again);
  again.submit();
}

window.addEventListener("beforeunload", (event) => {
  if (sending && status.classList.contains("waiting")) event.preventDefault();
});

begin();
