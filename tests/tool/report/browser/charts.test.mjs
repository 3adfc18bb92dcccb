// Charts show the figures of the page's trials.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { charts, data, isNear, launch, median, open, sampleTrials, table, unfold } from "./browser.mjs";

let browser;
let page;
let trials;
before(async () => {
  browser = await launch();
  ({ page } = await open(browser, "usual"));
  trials = sampleTrials();
});
after(() => browser.close());

// The median of a figure over a plan's valid trials on ext4, which are in runs 1 to 3.
function medianOf(label, of, workload, name) {
  return median(trials.filter((trial) => trial.valid && trial.run <= 3 && trial.label === label && trial.workload === workload && trial.class === name)
    .map((trial) => trial[of]));
}

function series(chart, name) {
  return chart.series.find((each) => each.name === name);
}

// The data of a drawn interval or range: pairs of points, each followed by a gap.
function pairs(data) {
  return data.filter((_, i) => i % 3 === 0).map((from, i) => [from, data[3 * i + 1]]);
}

test("bars are the medians of valid trials, accepted and durable, the fastest first, and whiskers lie around them", async () => {
  const chart = (await charts(page, "rates")).find(({ title }) => title.startsWith("Text, durable at close"));
  assert.equal(chart.categories.length, 16);
  assert.equal(chart.categories[0], "uring 4 MiB");
  const speeds = series(chart, "durable").data;
  assert.deepEqual(speeds, [...speeds].sort((a, b) => b - a));
  for (const [name, of] of [["accepted", "close"], ["durable", "disk"]]) {
    chart.categories.forEach((label, i) =>
      assert.ok(isNear(series(chart, name).data[i], medianOf(label, of, "text", "at_close")), `${label} ${name}`));
    const whiskers = pairs(series(chart, `${name}, interval`).data);
    assert.equal(whiskers.length, 16);
    series(chart, name).data.forEach((value, i) => assert.ok(whiskers[i][0][0] <= value && value <= whiskers[i][1][0]));
  }
});

test("the whiskers' caps stand across the bars", async () => {
  const caps = await page.$eval("#rates .chart", (place) => echarts.getInstanceByDom(place).getOption().series
    .filter((each) => each.name === "accepted, interval").map((each) => each.symbolSize)[0]);
  assert.ok(caps[1] > 4 * caps[0], `${caps}`);
});

test("of fewer than six trials there is a range without caps, of one trial neither, and both are named", async () => {
  const { page: few } = await open(browser, "few");
  const [chart] = await charts(few, "rates");
  assert.equal(pairs(series(chart, "accepted, interval").data).length, 0);
  const range = series(chart, "accepted, range");
  assert.equal(range.symbol, "none");
  const cells = await table(few, "rates");
  const ranges = new Set(cells.filter((row) => row.includes("range of all")).map((row) => row[4]));
  assert.equal(pairs(range.data).length, chart.categories.filter((label) => ranges.has(label)).length);
  assert.ok(pairs(range.data).length > 0);
  assert.ok(cells.some((row) => row.includes("one trial")));
  assert.ok(cells.every((row) => !row.some((cell) => cell.includes("% interval"))));
  assert.match(chart.words, /one trial|range/);
  await few.close();
});

test("reading has one clock", async () => {
  const chart = (await charts(page, "rates")).find(({ title }) => title.startsWith("Blocks, reading, cold"));
  assert.deepEqual(chart.series.map(({ name }) => name), ["read", "read, interval", "read, range"]);
});

test("speed over block size has a line per method with the medians of its blocks", async () => {
  const chart = (await charts(page, "blocks")).find(({ title }) => title.startsWith("Text, durable at close"));
  assert.deepEqual(chart.across, ["64 KiB", "256 KiB", "1 MiB", "4 MiB"]);
  const lines = chart.series.filter(({ name }) => !/, (interval|range)$/.test(name));
  assert.equal(lines.length, 6);
  for (const { name, data: values } of lines)
    chart.across.forEach((block, i) => assert.ok(isNear(values[i], medianOf(`${name} ${block}`, "disk", "text", "at_close"))));
});

test("the CPU's bill stands against the speed", async () => {
  const chart = (await charts(page, "cost")).find(({ title }) => title.startsWith("Text, durable at close"));
  const points = series(chart, "direct").data;
  assert.equal(points.length, 4);
  const rates = ["64 KiB", "256 KiB", "1 MiB", "4 MiB"].map((block) => `direct ${block}`);
  for (const label of rates) {
    const wanted = [medianOf(label, "disk", "text", "at_close"), medianOf(label, "cpu", "text", "at_close")];
    assert.ok(points.some(([x, y]) => isNear(x, wanted[0]) && isNear(y, wanted[1])), label);
  }
});

test("latencies end at the slowest call, and the table names their shares", async () => {
  const { rows } = await data(page);
  const chart = (await charts(page, "latency"))[0];
  const row = rows.find(({ label, group }) => group === 0 && label === chart.series[0].name);
  const calls = row.latency.calls.reduce((sum, each) => sum + each, 0);
  const last = chart.series[0].data.at(-1);
  assert.ok(isNear(last[0], Number(Math.log10(calls).toFixed(4))));
  assert.equal(last[1], row.latency.nanoseconds.at(-1) / 1e6);
  assert.equal((await table(page, "latency"))[0][5], calls.toLocaleString("en-US"));
});

test("the speed within a trial keeps the bytes of the curve", async () => {
  const { rows } = await data(page);
  const chart = (await charts(page, "speed"))[0];
  const { curve } = rows.find(({ label, group }) => group === 0 && label === chart.series[0].name);
  const bytes = curve.mb_per_second.reduce((sum, rate) => sum + rate * curve.step, 0);
  const points = chart.series[0].data;
  const shown = points.slice(0, -1).reduce((sum, [from, rate], i) => sum + rate * (points[i + 1][0] - from), 0);
  assert.ok(Math.abs(shown - bytes) < 0.001 * bytes, `${shown} of ${bytes}`);
});

test("a warm-up is named, and counts nowhere", async () => {
  const { page: few } = await open(browser, "few");
  const all = await table(few, "timeline");
  const [warmUp] = all.filter((row) => row.includes("warm-up"));
  const [chart] = await charts(few, "timeline");
  assert.match(chart.words, /1 warm-up, which counts nowhere, only in the table/);
  const points = chart.series.filter(({ type }) => type === "scatter").flatMap(({ data: values }) => values);
  assert.ok(!points.some(([, , trial]) => trial === 2));
  const label = warmUp[5];
  const used = (await table(few, "rates")).find((row) => row[4] === label);
  assert.ok(used.includes("1 of 1"), "of two trials, one was a warm-up");
  assert.equal((await table(few, "rates")).filter((row) => row[4].startsWith(label)).length, 1);
  await few.close();
});

test("what a mapping cannot show by block is drawn by no block", async () => {
  const { page: mapped } = await open(browser, "mapped");
  for (const section of ["latency", "speed"]) {
    await unfold(mapped, section);
    assert.match(await mapped.textContent(`#${section} .empty`), /mapped files/);
    assert.equal((await table(mapped, section)).length, 0);
  }
  assert.equal((await charts(mapped, "rates"))[0].title, "Text, reading, cold, 954 MiB · ext4 on vda");
  await mapped.close();
});

test("threads × work show the fastest strategy, and where the processors become the limit", async () => {
  const all = await charts(page, "sweep");
  assert.equal(all.length, 2);
  const cells = series(all[0], "cells").data;
  assert.equal(cells.length, 9);
  const fastest = Math.max(...["streaming", "buffering", "auto"].map((name) => {
    const rates = trials.filter((trial) => trial.label === `${name}, 4 threads, work 1000`).slice(0, 3).map((trial) => trial.close);
    return median(rates);
  }));
  assert.ok(isNear(cells.find(([work, threads]) => work === 2 && threads === 2)[2], fastest));
  assert.deepEqual(series(all[0], "crossover").data[0], [1.5, -0.5]);
  assert.match(all[0].words, /The disk is the limit up to work 100, the CPU from work 1000 on/);
  await page.selectOption("#sweep-shows", "ratio");
  const ratios = series((await charts(page, "sweep"))[0], "cells").data;
  assert.ok(ratios.every(([, , ratio]) => ratio > 0.5 && ratio < 2));
  await page.selectOption("#sweep-shows", "fastest");
});

test("device and extents are the stored ones", async () => {
  const chart = (await charts(page, "device"))[0];
  const { rows } = await data(page);
  chart.categories.forEach((label, i) => {
    const row = rows.find((each) => each.group === 0 && each.label === label);
    assert.equal(chart.series[0].data[i], row.device_requests_per_gb);
    assert.equal(chart.series[1].data[i], row.extents);
  });
});

test("the timeline has every trial in order, the invalid ones marked", async () => {
  await unfold(page, "timeline");
  await page.selectOption("#timeline-shows", "rate");
  const [chart] = await charts(page, "timeline");
  const points = chart.series.filter(({ type }) => type === "scatter").flatMap((each) => each.data.map((point) => ({ point, name: each.name })));
  assert.equal(points.length, trials.length);
  for (const { point: [at, rate, number], name } of points) {
    const trial = trials[number];
    assert.equal(at, number);
    assert.equal(name === "invalid", !trial.valid);
    const durable = trial.class === "at_close" || trial.class === "each_write";
    assert.ok(isNear(rate, durable ? trial.disk : trial.close));
  }
  await page.selectOption("#timeline-shows", "share");
  const line = series((await charts(page, "timeline"))[0], "median of a stretch").data;
  const heights = line.map(([, height]) => height);
  assert.ok(Math.min(...heights) < 0.85, "the second run drifts");
});

test("history has a point for each run of a plan, and a place for each run", async () => {
  const [chart] = await charts(page, "history");
  const [line] = chart.series;
  assert.deepEqual(chart.across.map((name) => name.split("\n")[0]), ["run 1", "run 2"]);
  assert.equal(new Set(chart.across).size, chart.across.length);
  assert.equal(line.data.length, 2);
  line.data.forEach(([at, rate]) => {
    const own = trials.filter((trial) => trial.valid && trial.run === Math.round(at) + 1 && trial.label === line.name && trial.workload === "text" && trial.class === "none");
    assert.ok(isNear(rate, median(own.map((trial) => trial.close))));
  });
  assert.match(chart.words, /on x86_64 Sample Processor 9000/);
  assert.ok((await table(page, "history")).every((row) => row[2] === "x86_64 Sample Processor 9000"));
});

test("the environments stand side by side, with their differences marked", async () => {
  const cells = await page.$$eval("#environment .scroll:first-of-type td.differs", (all) => all.map((cell) => cell.textContent));
  assert.ok(cells.includes("tmpfs"));
  assert.match(await page.textContent("#environment"), /Runs 1–3/);
});

test("peers and other sizes are compared apart", async () => {
  const { page: kinds } = await open(browser, "peers");
  assert.deepEqual((await charts(kinds, "rates")).map(({ title }) => title), ["Text, durability none, 954 MiB · ext4 on vda", "Text, durability none, 1 MiB · ext4 on vda"]);
  assert.deepEqual((await charts(kinds, "peers")).map(({ title }) => title), ["Peers: Text, durability none, 954 MiB · ext4 on vda"]);
  const used = (await table(kinds, "peers")).map((row) => row.find((cell) => / of 6$/.test(cell)));
  assert.ok(used.every(Boolean), "trials of bench are not among those of peers");
  assert.equal((await data(kinds)).answers.length, 3);
  await kinds.close();
});

test("file systems have a chart of their own, with the fastest method on each", async () => {
  const { page } = await open(browser, "volumes");
  const [chart] = await charts(page, "filesystems");
  assert.equal(chart.title, "File systems: Blocks, durable at close, 954 MiB · ext4 on vda");
  assert.match(chart.words, /xfs -d agcount=4, noatime · uring/);
  assert.ok(chart.drawn > 0);
  assert.equal((await charts(page, "rates")).length, 0, "they are not compared as methods");
  const rows = await table(page, "filesystems");
  assert.ok(rows.length > 2, "the table has all plans");
  await page.close();
});
