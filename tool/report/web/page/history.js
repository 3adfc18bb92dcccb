// How speeds changed from run to run.

function historyOf(row) {
  return report.shares
    .filter((share) => share.row === row.index && (filter.run === everything || share.run === shownRun()))
    .map((share) => ({ run: report.runs[share.run], speed: share[report.groups[row.group].clock], used: share.used }))
    .filter((point) => point.speed && point.run.seconds > 0)
    .sort((a, b) => a.run.seconds - b.run.seconds);
}

function changeInWords(line) {
  const [first, last] = [line.points[0], line.points[line.points.length - 1]];
  return `${line.row.label} went from ${withRange(first.speed)} MB/s in run ${first.run.id} to ${withRange(last.speed)} in run ${last.run.id}`;
}

const besideEachOther = 0.05;

// A place for each run, so that neither ticks nor labels meet: runs may follow each other within seconds or months.
function historyPanel(group, rows) {
  const lines = rows.map((row) => ({ row, points: historyOf(row) })).filter((line) => line.points.length > 1).slice(0, linesShown);
  if (lines.length === 0) return null;
  const runs = [...new Map(lines.flatMap((line) => line.points.map((point) => [point.run.id, point.run]))).values()]
    .sort((a, b) => a.seconds - b.seconds || a.id - b.id);
  // Plans stand beside each other, so that their whiskers do not cover one another.
  const at = (point, number) => runs.findIndex((run) => run.id === point.run.id) + (number - (lines.length - 1) / 2) * besideEachOther;
  return {
    title: headingOf(group, lines.map((line) => line.row)), height: 330,
    summary: `${changeInWords(lines[0])}. ${plural(lines.length, "plan")} measured more than once, on ${placeOf(group).machine}.`,
    option: (width) => ({
      ...underLegend(lines.map((line) => line.row.label), width, { left: 58, right: 24, bottom: 64 }),
      tooltip: { ...baseOption().tooltip, trigger: "item", formatter: (point) => historyTip(lines, runs, point) },
      xAxis: [axis("runs, in their order (UTC)", { type: "category", data: runs.map(runName), nameGap: 44, splitLine: { show: false },
        axisLabel: { lineHeight: 14, interval: Math.ceil(runs.length * 84 / Math.max(width - 82, 84)) - 1 } }), hiddenAxis(runs.length)],
      yAxis: axis("MB/s", { min: 0, nameGap: 42 }),
      series: lines.flatMap(({ row, points }, number) => {
        const look = lookOf(row.method, number);
        const ends = points.filter((point) => hasRange(point.speed)).map((point) => [[at(point, number), point.speed[1]], [at(point, number), point.speed[2]], point.speed]);
        return [
          { name: row.label, type: "line", data: points.map((point) => [at(point, number), point.speed[0]]), xAxisIndex: 1, symbol: look.symbol, symbolSize: 9,
            color: look.color, lineStyle: { type: look.dash, width: 2, color: look.color }, z: 5 },
          ...whiskers(row.label, ends, look.color, { xAxisIndex: 1 }),
        ];
      }),
    }),
  };
}

function runName(run) {
  return `run ${run.id}\n${new Date(run.seconds * 1000).toISOString().slice(2, 16).replace("T", " ")}`;
}

function historyTip(lines, runs, point) {
  const line = lines.find((each) => each.row.label === point.seriesName);
  const at = line && line.points.find((each) => each.run.id === runs[Math.round(point.value[0])].id);
  return at ? `<b>${escapeHtml(line.row.label)}</b><br>run ${at.run.id}, ${dateOf(at.run.seconds)}<br>${withRange(at.speed)} MB/s` : "";
}

new Section({
  id: "history",
  title: "History",
  short: "History",
  lead: `Each run's median of the plans that were measured by more than one run, with its range or interval; the first ${linesShown} of each ranking.`,
  charts: (shown) => panelsOf(shown.filter(({ group }) => group.role === "contest" || group.role === "lines"), historyPanel,
    filter.run === everything ? "No plan was measured by more than one run yet." : "The filter shows a single run, which has no history."),
  table: (shown) => ({
    columns: [
      { title: "Run", number: true, text: ({ point }) => point.run.id },
      { title: "Started", text: ({ point }) => dateOf(point.run.seconds) },
      { title: "Machine", text: ({ row }) => placeOf(report.groups[row.group]).machine },
      ...planColumns.map((column) => ({ ...column, text: ({ row }) => column.text(row), value: column.value && (({ row }) => column.value(row)) })),
      { title: "MB/s", number: true, text: ({ point }) => figure(point.speed[0]) },
      { title: "Range", number: true, text: ({ point }) => range(point.speed) },
      { title: "is", text: ({ point }) => rangeKind(point.speed) },
      { title: "Trials", number: true, text: ({ point }) => count(point.used) },
    ],
    rows: rowsOf(shown).flatMap((row) => historyOf(row).map((point) => ({ row, point }))).sort((a, b) => a.point.run.seconds - b.point.run.seconds),
  }),
});
