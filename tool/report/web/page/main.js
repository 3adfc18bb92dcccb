// Builds the page, and keeps it up to date.

const themeListeners = [];

function applyTheme() {
  document.documentElement.dataset.theme = themeName();
  for (const tell of themeListeners) tell();
  for (const section of sections) section.resize();
}

function update() {
  const shown = shownGroups();
  updateVerdicts(shown);
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
  return `${plural(trials.id.length, "trial")} of ${plural(runs.length, "run")}${when}${selected}. Store: ${report.store}. freshet ${report.version}.`;
}

document.documentElement.dataset.theme = themeName();
document.getElementById("about").textContent = about();
document.getElementById("no-charts").hidden = hasCharts;
document.getElementById("licences").hidden = !hasCharts;
buildFilters();
document.getElementById("sections").append(buildVerdicts(), ...sections.map((section) => section.root), buildEnvironment());
update();

prefersDark.addEventListener("change", applyTheme);
printing.addEventListener("change", applyTheme);
let resizeTimer = 0;
window.addEventListener("resize", () => {
  clearTimeout(resizeTimer);
  resizeTimer = setTimeout(() => sections.forEach((section) => section.resize()), 100);
});
document.documentElement.dataset.ready = "yes";
