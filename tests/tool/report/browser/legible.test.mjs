// Charts can be read: no text lies on another, every colour and every axis is explained, and few trials look like few.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { charts, data, launch, open, table, texts, unfold } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

function areaOfBoth(a, b) {
  const across = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const down = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.max(0, across - 1) * Math.max(0, down - 2);
}

for (const [kind, width, media] of [["usual", 1280], ["usual", 390], ["usual", 700, "print"], ["runs", 1280], ["runs", 390], ["peers", 390], ["volumes", 390]])
  test(`no text lies on another one or is cut off, ${kind}, ${width} wide${media ? ", printed" : ""}`, async () => {
    const { page } = await open(browser, kind, { viewport: { width, height: 800 } });
    await page.emulateMedia({ media: media ?? null });
    await page.waitForFunction((printed) => onPaper === printed, Boolean(media));
    let seen = 0;
    for (const section of ["answers", ...await page.evaluate(() => sections.map(({ about }) => about.id))])
      for (const chart of await texts(page, section)) {
        chart.written.forEach((one, i) => {
          assert.ok(one.x > -2 && one.x + one.width < chart.width + 2 && one.y > -2 && one.y + one.height < chart.height + 2, `${section}: ${one.text} leaves the chart`);
          assert.doesNotMatch(one.text, /…|\.\.\.$/, section);
          for (const other of chart.written.slice(i + 1)) assert.equal(areaOfBoth(one, other), 0, `${section}: ${one.text} and ${other.text}`);
        });
        seen += chart.written.length;
      }
    assert.ok(seen > 50);
    await page.close();
  });

test("runs are named above the trials, as many as there is room for", async () => {
  for (const [width, least, most] of [[1280, 20, 20], [390, 4, 12]]) {
    const { page } = await open(browser, "runs", { viewport: { width, height: 800 } });
    const [{ written }] = await texts(page, "timeline");
    const named = written.filter(({ text }) => /^run \d+$/.test(text)).length;
    assert.ok(named >= least && named <= most, `${named} at ${width}`);
    await page.close();
  }
});

test("every axis of figures says whether it is linear or logarithmic", async () => {
  const { page } = await open(browser, "usual");
  await unfold(page);
  const axes = await page.$$eval(".chart", (places) => places.flatMap((place) => {
    const { xAxis, yAxis } = echarts.getInstanceByDom(place).getOption();
    return [...xAxis, ...yAxis].filter(({ type, show, name }) => type !== "category" && show !== false && name).map(({ type, name }) => ({ type, name }));
  }));
  assert.ok(axes.length > 30);
  for (const { type, name } of axes) {
    if (name.startsWith("trials, in the order")) continue;
    assert.match(name, type === "log" ? /, log$/ : /, linear$|, log towards 100 %$/);
  }
  await page.close();
});

test("a colour of lines and points is a method's, the same in all charts, and every one is in a legend", async () => {
  const { page } = await open(browser, "usual");
  await unfold(page);
  const { rows } = await data(page);
  const methods = [...new Set(rows.map(({ method }) => method))];
  const methodOf = new Map();
  const all = await page.$$eval("#blocks .chart, #cost .chart, #latency .chart, #speed .chart, #history .chart, #timeline .chart", (places) =>
    places.map((place) => {
      const { series, legend } = echarts.getInstanceByDom(place).getOption();
      return { names: legend[0].data, series: series.map(({ name, color, itemStyle, silent }) => ({ name, silent, color: itemStyle?.color ?? color, opacity: itemStyle?.opacity ?? 1 })) };
    }));
  assert.ok(all.length > 15);
  for (const { names, series } of all)
    for (const { name, color, silent, opacity } of series) {
      if (silent && / (interval|range)$/.test(name)) continue;
      assert.ok(names.includes(name), name);
      assert.equal(opacity, 1, `${name} is paler than its colour`);
      const method = methods.find((each) => name === each || name.startsWith(`${each} `));
      if (!method) continue;
      if (!methodOf.has(color)) methodOf.set(color, method);
      assert.equal(methodOf.get(color), method, `${color} of ${name}`);
    }
  assert.ok(methodOf.size >= 6);
  assert.equal(new Set(methodOf.values()).size, methodOf.size, "no method has two colours");
  await page.close();
});

test("bars have none of the methods' colours", async () => {
  const { page } = await open(browser, "usual");
  await unfold(page, "rates", "device");
  const { methods, bar, used } = await page.evaluate(() => ({ ...colours(), used: [...document.querySelectorAll("#rates .chart, #device .chart")].flatMap((place) =>
    echarts.getInstanceByDom(place).getOption().series.filter(({ type }) => type === "bar").map(({ itemStyle }) => itemStyle.borderColor ?? itemStyle.color)) }));
  assert.deepEqual([...new Set(used)], [bar]);
  assert.ok(!methods.includes(bar));
  await page.close();
});

test("a heat map has a legend, and a colour is the same speed in all of them", async () => {
  const { page } = await open(browser, "usual");
  await unfold(page, "sweep");
  const speeds = (await data(page)).rows.filter(({ sweep }) => sweep).map(({ close }) => close[0]);
  const written = (await texts(page, "sweep")).map((chart) => chart.written.map(({ text }) => text));
  assert.equal(written.length, 2);
  const ends = await page.evaluate((all) => [`${figure(Math.min(...all))} MB/s`, `${figure(Math.max(...all))} MB/s, log`], speeds);
  for (const each of written) for (const end of ends) assert.ok(each.includes(end), end);
  const cells = await page.$$eval("#sweep .chart", (places) => places.flatMap((place) =>
    echarts.getInstanceByDom(place).getOption().series.find(({ name }) => name === "cells").data.map(({ value, itemStyle }) => [value[2], itemStyle.color])));
  assert.ok(cells.length >= 18);
  for (const [speed, color] of cells) assert.equal(color, await page.evaluate((value) => speedColour(value), speed));
  const order = [...cells].sort(([a], [b]) => a - b).map(([, color]) => parseInt(color.slice(1, 3), 16));
  assert.deepEqual(order, [...order].sort((a, b) => a - b), "brighter is faster");
  await page.selectOption("#sweep-shows", "ratio");
  assert.ok((await texts(page, "sweep"))[0].written.some(({ text }) => text === "streaming 2× as fast"));
  await page.close();
});

test("the edges of answers have a legend", async () => {
  const { page } = await open(browser, "usual");
  const look = (selector) => page.$$eval(selector, (all) => all.map((each) => getComputedStyle(each).borderLeftStyle));
  const explained = await look("#answers .edges span");
  assert.deepEqual(explained, ["solid", "dashed", "dotted"]);
  assert.ok((await look("#answers li")).every((style) => explained.includes(style)));
  await page.close();
});

test("each bar has its number of trials beside it, and a bar of one trial is hatched", async () => {
  const { page } = await open(browser, "few");
  const { rows } = await data(page);
  for (const section of ["answers", "rates"]) {
    const [chart] = await charts(page, section);
    const [{ written }] = await texts(page, section);
    const looks = await page.$eval(`#${section} .chart`, (place) => echarts.getInstanceByDom(place).getOption().series
      .filter(({ type }) => type === "bar").map(({ data: values }) => values.map(({ itemStyle }) => Boolean(itemStyle?.decal && itemStyle.borderType))));
    const used = chart.categories.map((label) => rows.find((row) => row.label === label).used);
    assert.ok(used.includes(1) && used.includes(2));
    for (const clock of looks) assert.deepEqual(clock, used.map((number) => number === 1));
    assert.equal(written.filter(({ text }) => text === "1 trial").length, used.filter((number) => number === 1).length);
    assert.equal(written.filter(({ text }) => text === "2 trials").length, used.filter((number) => number === 2).length);
  }
  await page.close();
});

test("a wide table keeps plan and verdict in sight, wherever it is scrolled to", async () => {
  const { page } = await open(browser, "usual");
  await table(page, "rates");
  const scroll = await page.$("#rates .scroll");
  assert.ok(await scroll.evaluate((place) => place.scrollWidth > place.clientWidth), "it is wider than the page");
  for (const left of [0, 200, 10_000]) {
    await scroll.evaluate((place, to) => { place.scrollLeft = to; }, left);
    const { inner, plan, verdict } = await page.$eval("#rates tbody tr", (row) => {
      const box = (cell) => { const { left: from, right: to } = cell.getBoundingClientRect(); return { from, to }; };
      return { inner: box(row.closest(".scroll")), plan: box(row.cells[4]), verdict: box(row.cells[row.cells.length - 1]) };
    });
    for (const { from, to } of [plan, verdict]) assert.ok(from >= inner.from - 1 && to <= inner.to + 1, `${left}: ${from}-${to}`);
    assert.ok(plan.to <= verdict.from);
  }
  await page.close();
});

test("a table that shows only its first rows says so", async () => {
  const { page } = await open(browser, "usual");
  await table(page, "timeline");
  assert.match(await page.textContent("#timeline caption"), /^All trials in order: 906 rows, of which the first 50 are shown\./);
  await page.close();
});
