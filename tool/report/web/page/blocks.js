// MB/s over block size, with a line for each method.

// The fastest plan of each method and block; depth and other options may differ.
function bestByBlock(rows) {
  const best = new Map();
  for (const row of rows) {
    if (!row.block || !speedOf(row)) continue;
    const of = best.get(row.method) || best.set(row.method, new Map()).get(row.method);
    const known = of.get(row.block);
    if (!known || speedOf(row)[0] > speedOf(known)[0]) of.set(row.block, row);
  }
  return best;
}

function blockSeries(best, sizes) {
  return [...best].flatMap(([method, byBlock]) => {
    const look = lookOf(method);
    const rows = sizes.map((size) => byBlock.get(size));
    const ends = rows.flatMap((row, i) => row && hasRange(speedOf(row)) ? [[[i, speedOf(row)[1]], [i, speedOf(row)[2]], speedOf(row)]] : []);
    return [
      { name: method, type: "line", data: rows.map((row) => row ? speedOf(row)[0] : null), connectNulls: true,
        symbol: look.symbol, symbolSize: 9, color: look.color, lineStyle: { type: look.dash, width: 2, color: look.color }, z: 5 },
      ...whiskers(method, ends, look.color),
    ];
  });
}

function blocksPanel(group, rows) {
  const best = bestByBlock(rows);
  const sizes = [...new Set([...best.values()].flatMap((byBlock) => [...byBlock.keys()]))].sort((a, b) => a - b);
  if (![...best.values()].some((byBlock) => byBlock.size > 1)) return null;
  const top = [...best.values()].flatMap((byBlock) => [...byBlock.values()]).sort((a, b) => speedOf(b)[0] - speedOf(a)[0])[0];
  const methods = [...best.keys()];
  return {
    title: headingOf(group, [...best.values()].flatMap((byBlock) => [...byBlock.values()])), height: 320,
    summary: `${top.method} with blocks of ${bytes(top.block)} has the highest median: ${withRange(speedOf(top))} MB/s; the verdict on it: ${standingOf(top)}. ` +
      `${plural(methods.length, "method")}, blocks from ${bytes(sizes[0])} to ${bytes(sizes[sizes.length - 1])}.`,
    option: (width) => ({
      ...underLegend(methods, width, { left: 58, right: 16, bottom: 44 }),
      tooltip: { ...baseOption().tooltip, trigger: "axis", formatter: (points) => blockTip(best, sizes[points[0].dataIndex]) },
      xAxis: axis("block size", { type: "category", data: sizes.map(bytes), splitLine: { show: false } }),
      yAxis: axis("MB/s", { min: 0, nameGap: 42 }),
      series: blockSeries(best, sizes),
    }),
  };
}

function blockTip(best, size) {
  const lines = [...best].filter(([, byBlock]) => byBlock.has(size))
    .map(([method, byBlock]) => `${escapeHtml(method)}: ${withRange(speedOf(byBlock.get(size)))} MB/s`);
  return [`<b>${bytes(size)}</b>`, ...lines].join("<br>");
}

new Section({
  id: "blocks",
  title: "Speed over block size",
  short: "Block size",
  lead: "A line per method; of each block size the method's fastest plan. The clock is the one that the class ranks by.",
  charts: (shown) => panelsOf(contests(shown), blocksPanel,
    "No method was measured with more than one block size: freshet bench --block 64K,1M,4M does that."),
  table: (shown) => ({
    columns: [
      ...planColumns,
      { title: "Method", text: (row) => row.method },
      { title: "Block", number: true, text: (row) => bytes(row.block), value: (row) => row.block },
      { title: "Depth", number: true, text: (row) => row.depth || "–" },
      { title: "MB/s", number: true, text: (row) => figure(speedOf(row) && speedOf(row)[0]) },
      { title: "Range", number: true, text: (row) => range(speedOf(row)) },
      { title: "is", text: (row) => rangeKind(speedOf(row)) },
    ],
    rows: rowsOf(contests(shown)).filter((row) => row.block && speedOf(row))
      .sort((a, b) => a.group - b.group || a.method.localeCompare(b.method) || a.block - b.block || a.depth - b.depth),
  }),
});
