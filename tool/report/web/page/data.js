// The page's data, and the part of it that passes the filters.

const report = JSON.parse(document.getElementById("report-data").textContent);
const everything = "all";
report.groups.forEach((group, number) => { group.number = number; });
// The values are those of the address: names and ids, which mean the same on the next page of the same store.
const filter = { place: everything, class: everything, workload: everything, run: everything };

function placeOf(group) {
  return report.places[group.place];
}

function passes(group) {
  return (filter.place === everything || placeOf(group).name === filter.place) &&
    (filter.class === everything || group.class === filter.class) &&
    (filter.workload === everything || group.workload === filter.workload);
}

// The index of the run that is shown; -1 for all.
function shownRun() {
  return filter.run === everything ? -1 : report.runs.findIndex((run) => String(run.id) === filter.run);
}

// A plan's figures and its place in the ranking: those of all runs, or of the single run that is selected.
function shownRows() {
  const all = report.rows.map((row, index) => ({ ...row, index }));
  if (filter.run === everything) return all.filter((row) => passes(report.groups[row.group]));
  return report.shares
    .filter((share) => share.run === shownRun())
    .map((share) => ({ ...withoutFigures(all[share.row]), ...share }))
    .filter((row) => passes(report.groups[row.group]))
    .sort((a, b) => a.index - b.index);
}

function withoutFigures(row) {
  const { group, index, method, label, plan, block, depth, jobs } = row;
  return { group, index, method, label, plan, block, depth, jobs };
}

// The group with the verdict of the trials that are shown: of all runs, or of the one that is selected.
function shownGroup(number) {
  const group = report.groups[number];
  if (filter.run === everything) return group;
  return { ...group, ...report.verdicts.find((verdict) => verdict.group === number && verdict.run === shownRun()) };
}

// [{group, rows}] of everything that passes the filters, in the page's order.
function shownGroups() {
  const groups = new Map();
  for (const row of shownRows()) {
    if (!groups.has(row.group)) groups.set(row.group, []);
    groups.get(row.group).push(row);
  }
  return [...groups].sort((a, b) => a[0] - b[0]).map(([number, rows]) => ({ group: shownGroup(number), rows }));
}

// Where a plan stands in the verdict that belongs to the trials that are shown, as in the tables on the terminal.
function standingOf(row) {
  if (!row.standing) return "–";
  if (shownGroup(row.group).state === "failed") return "no verdict";
  if (row.standing === "pick") return "the pick";
  if (row.standing === "left_early") return "left early, unproven";
  return row.result === "worse" ? "slower" : "may be as good";
}

function isPick(row) {
  return standingOf(row) === "the pick";
}

function isRival(row) {
  return standingOf(row) === "may be as good";
}

// The figure that the group is ranked by: [median, low, high], or null.
function speedOf(row) {
  return row[report.groups[row.group].clock] || null;
}

// "256 MiB", "64 MiB to 256 MiB": of the files whose trials count in these rows; empty if there are none.
function sizesOf(rows) {
  const used = rows.filter((row) => row.used > 0);
  if (used.length === 0) return "";
  const [least, most] = [Math.min(...used.map((row) => row.least_size)), Math.max(...used.map((row) => row.size))];
  return least === most ? bytes(least) : `${bytes(least)} to ${bytes(most)}`;
}

const kindWords = { methods: "", peers: "Peers: ", writetest: "writetest: ", filesystems: "File systems: " };

// The name of a group in the address, which is always the same.
function groupName(group) {
  return withPlace(group, group.task);
}

function withPlace(group, task) {
  return (kindWords[group.kind] ?? "") + task + (report.places.length > 1 ? ` · ${placeOf(group).name}` : "");
}

// The states of memory in which plans competed; "" is the usual one.
const memoryStates = new Set(report.groups.filter((group) => group.role === "contest").map((group) => memoryOf(group)));

function memoryOf(group) {
  return group.special.match(/memory (left|reused)/)?.[0] ?? "";
}

// What is special about a group. The state of memory is part of it only where groups differ in it.
function specialOf(group) {
  if (group.role !== "contest" || memoryStates.size > 1) return group.special;
  return group.special.split(", ").filter((words) => words !== memoryOf(group)).join(", ");
}

// What the state of memory means, once for the page; empty where it is the usual one.
function memoryNote() {
  if (!memoryStates.has("memory left")) return "";
  return memoryStates.size > 1 ? "Memory left: as the trial before left it." : "All plans met memory as the trial before left it.";
}

// The heading of what shows these rows of a group: it names the size of their trials.
function headingOf(group, rows) {
  if (group.role === "lines") return groupName(group);
  const words = [group.workload.charAt(0).toUpperCase() + group.workload.slice(1), classWords[group.class], sizesOf(rows), specialOf(group)];
  return withPlace(group, words.filter(Boolean).join(", "));
}

// The numbers of the trials that pass the filters, in the order in which they were run.
function shownTrials() {
  const trials = report.trials;
  const passing = report.rows.map((row) => passes(report.groups[row.group]));
  const run = shownRun();
  const numbers = [];
  for (let i = 0; i < trials.id.length; ++i)
    if (passing[trials.row[i]] && (run < 0 || trials.run[i] === run)) numbers.push(i);
  return numbers;
}

function isFiltered() {
  return Object.values(filter).some((value) => value !== everything);
}

// The reason why a chart is empty if nothing passes the filters.
function nothingPasses() {
  return isFiltered() ? "No trial passes the filters." : "There are no trials.";
}

// The columns that most tables begin with: a heading, a text, and, unless the text itself does, a value to sort by.
const planColumns = [
  { title: "Workload", text: (row) => report.groups[row.group].workload },
  { title: "Class", text: (row) => report.groups[row.group].class },
  { title: "File size", number: true, text: (row) => sizesOf([row]) || "–", value: (row) => row.size },
  { title: "File system", text: (row) => placeOf(report.groups[row.group]).name },
  { title: "Plan", stays: "left", text: (row) => row.label + (specialOf(report.groups[row.group]) ? ` (${specialOf(report.groups[row.group])})` : "") },
];
