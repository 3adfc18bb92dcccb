// The machines and file systems that were measured, and the commands that measured them.

const factNames = {
  machine: "Machine", kernel: "Kernel", cpus: "Processors", memory: "Memory", governor: "CPU governor", directory: "Directory",
  file_system: "File system", file_system_key: "File system's key", mount_options: "Mount options", device: "Device", device_model: "Device model",
  scheduler: "I/O scheduler", write_cache: "Write cache", dirty_settings: "Dirty page settings",
  first_touch_fresh: "First touch of fresh memory, MB/s", first_touch_reused: "First touch of memory just freed, MB/s", version: "freshet", build: "Build of freshet",
};

function factText(name, value) {
  if (value === undefined || value === null || value === "") return "–";
  if (name === "memory") return bytes(value);
  return typeof value === "number" ? figure(value) : String(value);
}

function shownEnvironments() {
  return report.environments.filter((each) => (filter.place === everything || report.places[each.place].name === filter.place) &&
    (filter.run === everything || each.runs.includes(shownRun())));
}

function environmentTable(environments) {
  const table = document.createElement("table");
  table.createCaption().textContent = "Differences from the first environment are marked at their left edge.";
  const head = table.createTHead().insertRow();
  for (const title of ["Setting", ...environments.map((each) => `Run${each.runs.length === 1 ? "" : "s"} ${runsInWords(each.runs)}`)]) {
    const cell = element("th", "", title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const name of new Set([...Object.keys(factNames), ...environments.flatMap((each) => Object.keys(each.facts))])) {
    const texts = environments.map((each) => factText(name, each.facts[name]));
    const line = body.insertRow();
    const title = element("th", "", factNames[name] || name);
    title.scope = "row";
    line.append(title, ...texts.map((text) => element("td", `words${text === texts[0] ? "" : " differs"}`, text)));
  }
  return table;
}

// "1–4, 7"
function runsInWords(numbers) {
  const ids = numbers.map((number) => report.runs[number].id).sort((a, b) => a - b);
  const parts = [];
  for (const id of ids) {
    const last = parts[parts.length - 1];
    if (last && last[1] === id - 1) last[1] = id;
    else parts.push([id, id]);
  }
  return parts.map(([from, to]) => from === to ? from : `${from}–${to}`).join(", ");
}

const environmentPlace = element("div", "scroll");
environmentPlace.tabIndex = 0;
environmentPlace.setAttribute("role", "region");
environmentPlace.setAttribute("aria-label", "Environments");
const runsTable = new TableFold("Runs", !hasCharts);

function buildEnvironment() {
  const section = document.createElement("section");
  section.id = "environment";
  section.setAttribute("aria-labelledby", "environment-title");
  const fold = element("details", "part");
  fold.open = !hasCharts;
  const summary = document.createElement("summary");
  const title = element("h2", "", "Environment");
  title.id = "environment-title";
  const machines = [...new Set(report.environments.map((each) => each.facts.machine))];
  summary.append(title, element("span", "finding", listed(machines)));
  fold.append(summary, element("p", "lead", "The machines and file systems of the trials, and the commands that made them."), environmentPlace, runsTable.fold);
  fold.addEventListener("toggle", writeAddress);
  section.append(fold);
  folds.set(section.id, fold);
  return section;
}

function updateEnvironment() {
  const environments = shownEnvironments();
  environmentPlace.replaceChildren(environments.length > 0 ? environmentTable(environments) : element("p", "empty", nothingPasses()));
  runsTable.update([
    { title: "Run", number: true, text: (run) => run.id },
    { title: "Started", text: (run) => dateOf(run.seconds) },
    { title: "Command", text: (run) => run.command },
    { title: "As typed", words: true, text: (run) => run.words },
    { title: "Ended", text: (run) => run.ended ? run.ended.slice(0, 16).replace("T", " ") + " UTC" : "killed, or still running" },
    { title: "Trials", number: true, text: (run) => count(run.trials) },
    { title: "File system", text: (run) => report.places[run.place].name },
  ], report.runs.filter((run, number) => (filter.place === everything || report.places[run.place].name === filter.place) &&
    (filter.run === everything || number === shownRun())));
}
