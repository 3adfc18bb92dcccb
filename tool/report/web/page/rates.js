// MB/s by method, until the program may go on and until the disk has everything, with intervals; the fastest first.

const barsShown = 16;
const letterWidth = 6.2;  // pixels, of a name

function labelWidth(width) {
  return Math.round(Math.min(210, width * 0.38));
}

function nameOnAxis(row) {
  return isPick(row) ? `▸ ${row.label}` : row.label;
}

// Names of plans are as long as they are: each bar is so high that the longest name fits beside it.
function barHeight(rows, width, least) {
  const letters = Math.floor((labelWidth(width) - 12) / letterWidth);
  const lines = Math.max(...rows.map((row) => linesOf(nameOnAxis(row), letters)));
  return Math.max(least, lines * nameHeight + 4);
}

// Into how many lines of so many letters a text is broken, at its spaces where it can be.
function linesOf(text, letters) {
  let lines = 1;
  let used = 0;
  for (const word of text.split(" ")) {
    if (used > 0 && used + 1 + word.length > letters) {
      ++lines;
      used = 0;
    }
    lines += Math.max(0, Math.ceil(word.length / letters) - 1);
    used += (used > 0 ? 1 : 0) + word.length;
  }
  return lines;
}

// The names of the rows, the first one at the top; the verdict's pick is marked.
function nameAxis(rows, width) {
  return axis("", {
    type: "category",
    data: rows.map((row) => row.label),
    inverse: true,
    axisLabel: { width: labelWidth(width) - 12, overflow: "break", fontSize: nameSize, lineHeight: nameHeight, color: colours().ink,
      interval: 0, hideOverlap: false, formatter: (label, at) => rows[at] ? nameOnAxis(rows[at]) : label },
    splitLine: { show: false },
  });
}

// The number of trials that each bar stands for, at its right.
const countsWidth = 62;

function countAxis(rows) {
  return axis("", { type: "category", data: rows.map((row) => plural(row.used, "trial")), inverse: true, position: "right",
    axisLine: { show: false }, splitLine: { show: false },
    axisLabel: { fontSize: nameSize, interval: 0, hideOverlap: false } });
}

// Bars of a single trial are hatched, and their edge is dashed.
const hatching = { symbol: "rect", rotation: -Math.PI / 4, dashArrayX: [1, 0], dashArrayY: [2, 4] };

function bars(name, rows, of, hollow) {
  const { bar, paper } = colours();
  const look = hollow ? { color: "transparent", borderColor: bar, borderWidth: 1.5 } : { color: bar, opacity: 0.8 };
  const single = { ...look, borderColor: bar, borderWidth: 1.5, borderType: [3, 3],
    decal: { ...hatching, color: hollow ? bar : paper }, opacity: hollow ? 0.7 : 0.55 };
  return {
    name, type: "bar", barGap: 0, barCategoryGap: "30%", itemStyle: look,
    data: rows.map((row) => row.used === 1 ? { value: firstOf(row[of]), itemStyle: single } : firstOf(row[of])),
  };
}

// The value of a figure that may be an estimate.
function firstOf(figure) {
  return Array.isArray(figure) ? figure[0] : figure ?? null;
}

function rateSeries(rows, clocks) {
  return clocks.flatMap(({ name, of, offset }, number) => [
    bars(name, rows, of, number === 1),
    ...whiskers(name, rows.flatMap((row, i) =>
      hasRange(row[of]) ? [[[row[of][1], i + offset], [row[of][2], i + offset], row[of]]] : []), colours().ink, { across: true, yAxisIndex: 1 }),
  ]);
}

function bySpeed(rows) {
  return [...rows].sort((a, b) => speedOf(b)[0] - speedOf(a)[0]);
}

function ratesPanel(group, all, most = barsShown) {
  const measured = bySpeed(all.filter((row) => speedOf(row)));
  const rows = measured.slice(0, most);
  const title = headingOf(group, rows);
  if (rows.length === 0) return { title, summary: "No valid trial.", empty: true };
  const both = [{ name: "accepted", of: "close", offset: -0.175 }, { name: "durable", of: "disk", offset: 0.175 }];
  const clocks = group.reads ? [{ name: "read", of: "close", offset: 0 }] : both;
  return {
    title, summary: ratesSummary(group, measured, rows.length), onPaper: 1,
    height: (width) => 84 + rows.length * barHeight(rows, width, group.reads ? 20 : 26),
    option: (width) => ({
      ...underLegend(clocks.map((clock) => clock.name), width, { left: labelWidth(width), right: countsWidth, bottom: 42 }),
      tooltip: { ...baseOption().tooltip, trigger: "axis", axisPointer: { type: "shadow" },
        formatter: (points) => rateTip(rows[points[0].dataIndex], clocks) },
      xAxis: axis("MB/s", { min: 0 }),
      yAxis: [nameAxis(rows, width), hiddenAxis(rows.length, { inverse: true }), countAxis(rows)],
      series: rateSeries(rows, clocks),
    }),
  };
}

// The verdict's pick comes first; a plan with a higher median comes with what the verdict says of it.
function ratesSummary(group, measured, shown) {
  const [fastest] = measured;
  const pick = measured.find(isPick);
  const until = group.reads ? "" : group.clock === "disk" ? " until durable" : " until accepted";
  const words = [];
  if (pick) words.push(`▸ ${pick.label} is the verdict's pick: ${withRange(speedOf(pick))} MB/s${until}.`);
  if (!pick) words.push(`${fastest.label} has the highest median: ${withRange(speedOf(fastest))} MB/s${until}; no verdict picks it.`);
  else if (fastest !== pick)
    words.push(`The median of ${fastest.label} is higher, ${figure(speedOf(fastest)[0])} MB/s in ${plural(fastest.used, "trial")}; the verdict on it: ${standingOf(fastest)}.`);
  const others = measured.filter((row) => row.other_sizes?.length > 0).length;
  if (others > 0) words.push(`${plural(others, "plan")} also ${others === 1 ? "has" : "have"} trials of a screening or of other sizes, which only the table counts.`);
  if (measured.length > shown) words.push(`${plural(measured.length - shown, "slower plan")} only in the table.`);
  return words.join(" ");
}

function rateTip(row, clocks) {
  if (!row) return "";
  const lines = clocks.map((clock) => `${clock.name}: ${withRange(row[clock.of])} MB/s`);
  return [`<b>${escapeHtml(row.label)}</b>`, ...lines, `CPU: ${withRange(row.cpu)} s per GB`,
    `${plural(row.used, "trial")} of ${sizesOf([row])}`].join("<br>");
}

// "6 of 8 (1 × 256 MiB)": those that the figures are about, all, and those of other sizes.
function trialsUsed(row) {
  const others = (row.other_sizes ?? []).map(([size, number]) => `${number} × ${bytes(size)}`);
  return `${row.used} of ${row.trials}${others.length > 0 ? ` (${others.join(", ")} left out)` : ""}`;
}

const rateColumns = [
  ...planColumns,
  { title: "Accepted MB/s", number: true, text: (row) => figure(row.close && row.close[0]) },
  { title: "Range", number: true, text: (row) => range(row.close) },
  { title: "Durable MB/s", number: true, text: (row) => figure(row.disk && row.disk[0]) },
  { title: "Range", number: true, text: (row) => range(row.disk) },
  { title: "is", text: (row) => rangeKind(row.close) },
  { title: "CPU s/GB", number: true, text: (row) => figure(row.cpu && row.cpu[0]) },
  { title: "Against the leader", text: (row) => row.gain ?? "–", value: (row) => row.ratio ? -row.ratio[0] : -Infinity },
  { title: "Trials used", number: true, text: trialsUsed },
  { title: "Invalid", number: true, text: (row) => count(row.invalid) },
  { title: "Verdict", stays: "right", text: standingOf },
];

function ratesTable(groups) {
  return { columns: rateColumns, rows: groups.flatMap(({ rows }) => [...bySpeed(rows.filter(speedOf)), ...rows.filter((row) => !speedOf(row))]) };
}

const barsMean = "Bars are medians of the trials that are counted at their right; whiskers with caps are intervals of at least 95 %, dotted lines ranges of " +
  "fewer than six trials. A bar of one trial is hatched, and has neither. ▸ is the verdict's pick.";

new Section({
  id: "rates",
  title: "Speed by method",
  short: "Speed by method",
  lead: `Accepted: until the program may go on. Durable: until the device has it. ${barsMean}`,
  charts: (shown) => panelsOf(contests(shown), (group, rows) => ratesPanel(group, rows), "Only files processed line by line were measured: see threads × work."),
  table: (shown) => ratesTable(contests(shown)),
});
