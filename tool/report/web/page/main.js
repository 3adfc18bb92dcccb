// Builds the page, and keeps it up to date.

const themeListeners = [];

// CSS pixels of a chart on A4 or Letter, alone or beside another one. Charts are drawn for paper before the browser lays it out.
const paper = { whole: 680, half: 332 };

function resizeAll(width) {
  firstChart?.resize(width?.whole);
  for (const section of sections) section.resize(width);
}

function applyTheme() {
  document.documentElement.dataset.theme = themeName();
  for (const tell of themeListeners) tell();
  resizeAll(printing.matches ? paper : undefined);
}

// Paper shows everything: all answers with their remarks, and the charts of all parts; afterwards the page is as before.
let openedForPaper = [];

function showOnPaper(isPaper) {
  if (isPaper === onPaper) return;
  onPaper = isPaper;
  if (isPaper) openedForPaper = [...document.querySelectorAll("details.part:not([open])")];
  for (const fold of openedForPaper) fold.open = isPaper;
  updateAnswers(shownGroups());
  for (const section of sections) if (section.isOpen) section.draw();
  resizeAll(isPaper ? paper : undefined);
}

function update() {
  const shown = shownGroups();
  updateAnswers(shown);
  for (const section of sections) section.update(shown);
  updateEnvironment();
  shownCount.textContent = `${count(shownTrials().length)} of ${plural(report.trials.id.length, "trial")} shown`;
}

function about() {
  const { trials, runs } = report;
  const times = runs.map((run) => run.seconds).filter((seconds) => seconds > 0);
  const from = times.length > 0 ? dateOf(times.reduce((a, b) => Math.min(a, b))).slice(0, 10) : "";
  const to = times.length > 0 ? dateOf(times.reduce((a, b) => Math.max(a, b))).slice(0, 10) : "";
  const when = from === to ? from && `, made on ${from}` : `, made from ${from} to ${to}`;
  const selected = report.selected ? ` (${report.selected})` : "";
  const machines = [...new Set(report.places.map((place) => place.machine).filter(Boolean))];
  const where = machines.length === 0 ? "" : machines.length > 2 ? ` on ${plural(machines.length, "machine")}` : ` on ${listed(machines)}`;
  return `${plural(trials.id.length, "trial")} of ${plural(runs.length, "run")}${where}${when}${selected}. Store: ${report.store}. freshet ${report.version}.`;
}

document.documentElement.dataset.theme = themeName();
document.getElementById("about").textContent = about();
document.getElementById("no-charts").hidden = hasCharts;
document.getElementById("licences").hidden = !hasCharts;
buildFilters();
document.getElementById("first").append(buildAnswers());
document.getElementById("sections").append(...sections.map((section) => section.root), buildEnvironment());
buildContents();
readAddress();

prefersDark.addEventListener("change", applyTheme);
printing.addEventListener("change", () => {
  applyTheme();
  showOnPaper(printing.matches);
});
// Before the pages are counted.
window.addEventListener("beforeprint", () => showOnPaper(true));
window.addEventListener("afterprint", () => showOnPaper(false));
window.addEventListener("hashchange", readAddress);
let resizeTimer = 0;
window.addEventListener("resize", () => {
  clearTimeout(resizeTimer);
  resizeTimer = setTimeout(() => resizeAll(printing.matches ? paper : undefined), 100);
});
document.documentElement.dataset.ready = "yes";
writeAddress();
