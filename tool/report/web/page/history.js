// How speeds changed from run to run.

function historyOf(row) {
  return report.shares
    .filter((share) => share.row === row.index && (filter.run === everything || share.run === Number(filter.run)))
    .map((share) => ({ run: report.runs[share.run], speed: share[report.groups[row.group].clock], used: share.used }))
    .filter((point) => point.speed && point.run.seconds > 0)
    .sort((a, b) => a.run.seconds - b.run.seconds);
}

function changeInWords(line) {
  const [first, last] = [line.points[0], line.points[line.points.length - 1]];
  return `${line.row.label} went from ${withRange(first.speed)} MB/s in run ${first.run.id} to ${withRange(last.speed)} in run ${last.run.id}`;
}

function historyPanel(group, rows) {
  const lines = rows.map((row) => ({ row, points: historyOf(row) })).filter((line) => line.points.length > 1).slice(0, linesShown);
  if (lines.length === 0) return null;
  return {
    title: groupName(group), height: 320, summary: `${changeInWords(lines[0])}. ${plural(lines.length, "plan")} measured more than once.`,
    option: (width) => ({
      ...underLegend(lines.map((line) => line.row.label), width, { left: 58, right: 24, bottom: 52 }),
      tooltip: { ...baseOption().tooltip, trigger: "item", formatter: (point) => historyTip(lines, point) },
      xAxis: axis("run started, UTC", { type: "time", nameGap: 34, splitLine: { show: false }, axisLabel: { lineHeight: 14, formatter: (time) => dayOf(time, lines) } }),
      yAxis: axis("MB/s", { min: 0, nameGap: 42 }),
      useUTC: true,
      series: lines.flatMap(({ row, points }, number) => {
        const look = lookOf(number);
        return [
          { name: row.label, type: "line", data: points.map((point) => [point.run.seconds * 1000, point.speed[0], point.run.id]), symbol: look.symbol, symbolSize: 9,
            color: look.color, lineStyle: { type: look.dash, width: 2, color: look.color }, z: 5 },
          whiskers(`${row.label}, interval`, points.map((point) => [[point.run.seconds * 1000, point.speed[1]], [point.run.seconds * 1000, point.speed[2]]]), look.color,
            { lineStyle: { width: 1.2, color: look.color, opacity: 0.7 } }),
        ];
      }),
    }),
  };
}

// Dates, with the time of day if everything lies within a few days.
function dayOf(time, lines) {
  const times = lines.flatMap((line) => line.points.map((point) => point.run.seconds));
  const days = (Math.max(...times) - Math.min(...times)) / 86400;
  return new Date(time).toISOString().slice(days < 5 ? 5 : 0, days < 5 ? 16 : 10).replace("T", "\n");
}

function historyTip(lines, point) {
  const line = lines.find((each) => each.row.label === point.seriesName);
  const at = line && line.points.find((each) => each.run.id === point.value[2]);
  return at ? `<b>${escapeHtml(line.row.label)}</b><br>run ${at.run.id}, ${dateOf(at.run.seconds)}<br>${withRange(at.speed)} MB/s` : "";
}

new Section({
  id: "history",
  title: "History",
  lead: `Each run's median of the plans that were measured by more than one run, with its interval; the first ${linesShown} of each ranking.`,
  charts: (shown) => panelsOf(shown.filter(({ group }) => !group.generator), historyPanel,
    filter.run === everything ? "No plan was measured by more than one run yet." : "The filter shows a single run, which has no history."),
  table: (shown) => ({
    columns: [
      { title: "Run", number: true, text: ({ point }) => point.run.id },
      { title: "Started", text: ({ point }) => dateOf(point.run.seconds) },
      ...planColumns.map((column) => ({ ...column, text: ({ row }) => column.text(row) })),
      { title: "MB/s", number: true, text: ({ point }) => figure(point.speed[0]) },
      { title: "Range", number: true, text: ({ point }) => range(point.speed) },
      { title: "Trials", number: true, text: ({ point }) => count(point.used) },
    ],
    rows: rowsOf(shown).flatMap((row) => historyOf(row).map((point) => ({ row, point }))).sort((a, b) => a.point.run.seconds - b.point.run.seconds),
  }),
});
