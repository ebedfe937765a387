(() => {
  "use strict";
  const told = document.getElementById("live");
  const say = text => { if (told.textContent !== text) told.textContent = text; };
  let busy = false, due = false;

  // What a person has unfolded stays so, unless the phase has come to another state meanwhile.
  function keep(here, next) {
    for (const fresh of next.querySelectorAll("details[id]")) {
      const old = document.getElementById(fresh.id);
      if (old && old.dataset.state === fresh.dataset.state) fresh.open = old.open;
    }
    const at = new Map();
    for (const box of here.querySelectorAll(".scroll[id]")) at.set(box.id, box.scrollLeft);
    const focus = document.activeElement && document.activeElement.closest("details[id]");
    here.replaceWith(next);
    for (const [id, left] of at) { const box = document.getElementById(id); if (box) box.scrollLeft = left; }
    const again = focus && document.getElementById(focus.id);
    if (again) again.querySelector("summary").focus({ preventScroll: true });
  }

  // The answer of a command stays until the next one. A form that is being filled in is not replaced.
  document.addEventListener("submit", async event => {
    event.preventDefault();
    const body = new URLSearchParams(new FormData(event.target, event.submitter));
    const answer = document.getElementById("answer");
    answer.textContent = "…";
    try {
      const reply = await fetch("commands", { method: "POST", body });
      answer.textContent = (await reply.text()).trim();
      if (reply.ok) event.target.reset();
    } catch (_) {
      answer.textContent = "autobuild serve does not answer.";
    }
  });
  const filling = () => [...document.querySelectorAll("#steer input")].some(box => box.value !== "");

  async function refresh() {
    if (busy || filling() || !getSelection().isCollapsed) { due = true; return; }
    busy = true; due = false;
    try {
      const answer = await fetch(location.pathname, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      keep(document.querySelector("main"), document.adoptNode(page.querySelector("main")));
      document.title = page.title;
      say("This page follows the run.");
    } catch (_) {
      say("The page could not be read again; it shows what was known.");
    }
    busy = false;
  }

  setInterval(() => { if (due) refresh(); }, 1000);
  const source = new EventSource("events");
  source.addEventListener("change", refresh);
  source.addEventListener("error", () => say("autobuild serve does not answer; this page shows what was known."));
})();
