// The opened page is complete, reports no errors, and is legible in all themes and widths.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axeViolations, charts, data, launch, open, screenshot, table, unfold } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const chartSections = ["rates", "blocks", "cost", "latency", "speed", "sweep", "device", "timeline", "history"];
const kinds = ["peers", "diagnosis"];  // of runs, which this sample has none of
const allSections = ["rates", ...kinds, ...chartSections.slice(1)];

test("it opens without a complaint or a request, with the answers, whole, and one chart on the first screen", async () => {
  const { page, complaints } = await open(browser, "usual", { viewport: { width: 1280, height: 800 } });
  const order = await page.$$eval("main section", (all) => all.map((section) => section.id));
  assert.deepEqual(order, ["answers", ...allSections, "environment"]);
  const { answers, groups } = await data(page);
  const lines = await page.$$eval("#answers .answers li", (all) => all.map((line) => line.textContent));
  assert.equal(lines.length, 6);
  lines.forEach((line, i) => assert.ok(line.includes(answers[i].text) && line.includes(groups[answers[i].group].task), line));
  assert.match(lines[1], /durable at close.*use uring 4 MiB: /s);
  const cut = await page.$$eval("#answers .text, .finding", (all) => all.filter((text) => text.scrollWidth > text.clientWidth + 1).length);
  assert.equal(cut, 0, "no answer is cut off");
  assert.equal((await charts(page, "answers")).length, 1);
  assert.equal(await page.$$eval(".chart", (all) => all.length), 1, "the rest is closed");
  assert.ok(await page.$eval("#answers .chart", (place) => place.getBoundingClientRect().bottom) <= 800);
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight) < 2.3 * 800);
  await screenshot(page, "desktop-light");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("an answer that is chosen shows its chart and its details", async () => {
  const { page } = await open(browser, "usual");
  await page.click("#answers li:nth-child(2) .task");
  assert.equal(await page.getAttribute("#answers li:nth-child(2) .task", "aria-pressed"), "true");
  const title = await page.textContent("#answers li:nth-child(2) .task");
  assert.equal((await charts(page, "answers"))[0].title, title);
  assert.match(await page.textContent("#answers .remarks"), /4 of 168 trials were left out as invalid/);
  await page.click("#answers li:nth-child(5) .task");
  assert.ok((await charts(page, "answers"))[0].series.some(({ name }) => name === "cells"));
  await page.close();
});

test("contents name every part, and open it", async () => {
  const { page } = await open(browser, "usual");
  assert.deepEqual(await page.$$eval("#contents a", (all) => all.map((link) => link.dataset.part)), [...allSections, "environment"]);
  await page.click("#contents a[data-part=history]");
  await page.waitForSelector("#history .chart svg");
  await page.click("#open-all");
  assert.equal(await page.$$eval("main details.part:not([open])", (all) => all.length), 0);
  await page.click("#open-all");
  assert.equal(await page.$$eval("main details.part[open]", (all) => all.length), 0);
  await page.close();
});

test("tables have captions and sort by their headings", async () => {
  const { page } = await open(browser, "usual");
  await table(page, "rates");
  assert.match(await page.textContent("#rates caption"), /^Speed by method: 96 rows/);
  const column = async (number) => page.$$eval("#rates tbody tr", (rows, at) => rows.map((row) => row.cells[at].textContent), number);
  const titles = await page.$$eval("#rates th", (all) => all.map((cell) => cell.textContent));
  const accepted = titles.indexOf("Accepted MB/s");
  const click = (number) => page.click(`#rates th:nth-child(${number + 1}) button`);
  const numbers = async () => (await column(accepted)).map((text) => Number(text.replace(/,/g, "")));
  await click(accepted);
  assert.deepEqual(await numbers(), [...await numbers()].sort((a, b) => b - a));
  assert.equal(await page.getAttribute(`#rates th:nth-child(${accepted + 1})`, "aria-sort"), "descending");
  await click(accepted);
  assert.deepEqual(await numbers(), [...await numbers()].sort((a, b) => a - b));
  const plan = titles.indexOf("Plan");
  await click(plan);
  const names = await column(plan);
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
  await table(page, "latency");
  const slowest = (await page.$$eval("#latency th", (all) => all.map((cell) => cell.textContent))).indexOf("Slowest");
  await page.click(`#latency th:nth-child(${slowest + 1}) button`);
  const units = { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 };
  const times = await page.$$eval("#latency tbody tr", (rows, at) => rows.map((row) => row.cells[at].textContent.split(" ")), slowest);
  const nanoseconds = times.map(([value, unit]) => Number(value) * units[unit]);
  assert.deepEqual(nanoseconds, [...nanoseconds].sort((a, b) => b - a), "by the time, whatever its unit");
  await page.close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe has nothing against it, closed and open, ${colorScheme}`, async () => {
    const { page } = await open(browser, "usual", { colorScheme });
    assert.deepEqual(await axeViolations(page), []);
    await unfold(page);
    await page.$$eval("details", (all) => all.forEach((fold) => { fold.open = true; }));
    await page.waitForSelector("#timeline tbody tr");
    assert.deepEqual(await axeViolations(page), []);
    await page.close();
  });
}

test("every chart is drawn, has a text alternative, and a table behind it", async () => {
  const { page, complaints } = await open(browser, "usual");
  await unfold(page);
  for (const section of chartSections) {
    const all = await charts(page, section);
    assert.ok(all.length > 0, section);
    for (const chart of all) {
      assert.equal(chart.role, "img");
      assert.ok(chart.words.length > 60, `${section}: ${chart.words}`);
      assert.ok(chart.drawn > 0, section);
    }
    assert.ok((await table(page, section)).length > 0, section);
  }
  assert.deepEqual(complaints, []);
  await page.close();
});

test("nothing is told by colour alone: lines differ in dashes or symbols, durable bars are hollow", async () => {
  const { page } = await open(browser, "usual");
  for (const chart of [...await charts(page, "blocks"), ...await charts(page, "latency"), ...await charts(page, "history")]) {
    const lines = chart.series.filter((series) => !/, (interval|range)$/.test(series.name));
    const looks = new Set(lines.map((line) => `${line.symbol} ${JSON.stringify(line.dash)}`));
    assert.equal(looks.size, lines.length);
  }
  await unfold(page, "rates");
  const fills = await page.$eval("#rates .chart", (place) =>
    echarts.getInstanceByDom(place).getOption().series.filter((series) => series.type === "bar").map((series) => series.itemStyle.color));
  assert.equal(fills[1], "transparent");
  await page.close();
});

test("it follows the reader's colours, and a button turns them", async () => {
  const { page, complaints } = await open(browser, "usual", { colorScheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const ink = () => page.$eval("#answers .chart", (place) => echarts.getInstanceByDom(place).getOption().textStyle.color);
  assert.equal(await paper(), "rgb(18, 22, 28)");
  assert.equal(await ink(), "#e4e8ee");
  await screenshot(page, "desktop-dark");
  await page.click("#theme");
  assert.equal(await paper(), "rgb(255, 255, 255)");
  assert.equal(await ink(), "#1b2430");
  await page.emulateMedia({ colorScheme: "light" });
  await page.click("#theme");
  assert.equal(await paper(), "rgb(18, 22, 28)");
  assert.deepEqual(complaints, []);
  await page.close();
});

for (const [name, width] of [["phone", 390], ["small-phone", 360], ["tablet", 768]]) {
  test(`a ${name} need not scroll sideways, with open tables neither`, async () => {
    const { page, complaints } = await open(browser, "usual", { viewport: { width, height: 740 }, isMobile: true, hasTouch: true });
    const top = (selector) => page.$eval(selector, (place) => place.getBoundingClientRect().top);
    assert.ok(await top("#answers li") < 300, "the answer comes first");
    assert.ok(await top("#answers .chart") < await top("#filters"));
    const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(await overhang() <= 0);
    await screenshot(page, name);
    await unfold(page);
    await page.$$eval("details", (all) => all.forEach((fold) => { fold.open = true; }));
    await page.waitForSelector("#timeline tbody tr");
    assert.ok(await overhang() <= 0);
    await screenshot(page, `${name}-open`);
    const widths = await page.$$eval(".chart", (places) => places.map((place) => place.firstElementChild.getBoundingClientRect().width));
    assert.ok(widths.every((each) => each > 0 && each <= width));
    assert.deepEqual(complaints, []);
    await page.close();
  });
}

test("charts take the width that a resized window has", async () => {
  const { page } = await open(browser, "usual");
  await unfold(page);
  await page.setViewportSize({ width: 500, height: 800 });
  await page.waitForFunction(() => [...document.querySelectorAll(".chart")].every((place) =>
    Math.abs(echarts.getInstanceByDom(place).getWidth() - place.clientWidth) < 2));
  await page.close();
});

test("printed, it is dark on white, without buttons, with all answers and all charts", async () => {
  const { page, complaints } = await open(browser, "runs", { colorScheme: "dark" });
  const paper = await page.pdf({ format: "A4", path: `${process.env.SCREENSHOTS}/print.pdf` });
  assert.ok([...paper.toString("latin1").matchAll(/\/Type\s*\/Page[^s]/g)].length <= 20);
  assert.equal(await page.$$eval("main details[open]", (all) => all.length), 0, "afterwards it is as before");
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  const { answers } = await data(page);
  assert.ok(answers.length > 6);
  const seen = await page.$$eval("#answers li", (lines) => lines.filter((line) => line.checkVisibility()).map((line) => line.textContent));
  assert.equal(seen.length, answers.length);
  answers.forEach(({ text }, i) => assert.ok(seen[i].includes(text)));
  assert.ok(await page.$$eval("#answers .remarks p", (all) => all.every((remark) => remark.checkVisibility())));
  for (const hidden of ["#theme", "#contents", "#peers"]) assert.equal(await page.isVisible(hidden), false, hidden);
  for (const section of chartSections) if (section !== "sweep") assert.ok(await page.isVisible(`#${section} .chart`), section);
  assert.equal(await page.$$eval("#rates .chart", (all) => all.length), answers.length);
  const widths = await page.$$eval(".chart", (places) => places.map((place) => place.firstElementChild.getBoundingClientRect().width));
  assert.ok(widths.every((width) => width === 680 || width === 332), `${widths}`);
  await screenshot(page, "print");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("names are never taken for markup", async () => {
  const { page, complaints } = await open(browser, "hostile");
  assert.equal(await page.$$eval("body > script", (all) => all.length), 3);
  assert.equal((await table(page, "rates"))[0][4], '<b>bold</b> & "quoted"');
  assert.equal(await page.$$eval("main b, main script", (all) => all.length), 0);
  assert.match(await page.textContent("#about"), /<\/script><!--/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("only the page's own scripts run", async () => {
  const { page, complaints } = await open(browser, "usual");
  await page.evaluate(() => {
    const added = document.createElement("script");
    added.textContent = "window.intruded = true;";
    document.body.append(added);
  });
  assert.equal(await page.evaluate(() => window.intruded), undefined);
  assert.match(complaints.join(), /Content Security Policy/);
  await page.close();
});

test("without the chart library it says so, and its tables are open", async () => {
  const { page, complaints } = await open(browser, "bare");
  assert.ok(await page.isVisible("#no-charts"));
  assert.match(await page.textContent("#no-charts"), /Charts are missing/);
  assert.equal(await page.$$eval(".chart, .panels", (all) => all.length), 0);
  assert.equal(await page.isVisible("#rates tbody tr"), true);
  await page.selectOption("#filter-class", { label: "durable at close" });
  assert.equal((await table(page, "rates")).length, 24);
  await screenshot(page, "no-charts", {});
  assert.deepEqual(complaints, []);
  await page.close();
});

test("what the laboratory has not drawn has no chart, and its answer says why", async () => {
  const { page, complaints } = await open(browser, "undrawn");
  await page.click("#answers li:has-text('Nobody draws it.') button, #answers :text('Nobody draws it.')");
  assert.equal(await page.$("#sweep"), null);
  assert.ok(await page.isVisible("#rates"));
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the chart library's licence is named", async () => {
  const { page } = await open(browser, "usual");
  assert.match(await page.textContent("#licences"), /Apache License, Version 2\.0.*The Apache Software Foundation/s);
  await page.close();
});

test("an empty page says why each chart is empty", async () => {
  const { page, complaints } = await open(browser, "empty");
  await unfold(page);
  for (const section of ["answers", ...allSections])
    assert.match(await page.textContent(`#${section} .empty`), /There are no trials\./);
  await screenshot(page, "empty");
  assert.deepEqual(complaints, []);
  await page.close();
});
