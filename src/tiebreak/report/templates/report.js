"use strict";
// Opens the pair that a matrix cell links to, and filters the list of pairs.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") { at.open = true; at.hidden = false; }
  }
  target.closest("details, article")?.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", reveal);
if (location.hash) reveal();
for (const form of document.querySelectorAll("form.filter")) {
  const list = document.getElementById(form.dataset.for);
  const pairs = [...list.querySelectorAll("details.pair")];
  const rest = list.querySelector("details.rest");
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    const system = form.elements.system.value, verdict = form.elements.verdict.value;
    let shown = 0;
    for (const pair of pairs) {
      const named = !system || pair.dataset.a === system || pair.dataset.b === system;
      const kind = ["equal", "open"].find((name) => pair.classList.contains(name)) || "better";
      pair.hidden = !(named && (!verdict || verdict === kind));
      if (!pair.hidden) shown += 1;
    }
    if (rest && (system || verdict)) rest.open = true;
    form.querySelector("output").textContent = shown + (shown === 1 ? " pair" : " pairs");
  });
}
