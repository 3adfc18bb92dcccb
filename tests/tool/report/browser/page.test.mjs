// The opened page is complete, reports no errors, and is legible in all themes and widths.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { charts, launch, open, screenshot, table } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const chartSections = ["rates", "blocks", "cost", "latency", "speed", "sweep", "device", "timeline", "history"];

test("it opens without a complaint or a request, with the verdict first", async () => {
  const { page, complaints } = await open(browser, "usual");
  const order = await page.$$eval("main section", (all) => all.map((section) => section.id));
  assert.deepEqual(order, ["verdict", ...chartSections, "environment"]);
  const verdicts = await page.$$eval("#verdict .verdict", (all) => all.map((card) => card.textContent));
  assert.equal(verdicts.length, 6);
  assert.match(verdicts[1], /durable at close.*uring 4 MiB wins.*4 of 168 trials were left out as invalid/s);
  await screenshot(page, "desktop-light");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("every chart is drawn, has a text alternative, and a table behind it", async () => {
  const { page, complaints } = await open(browser, "usual");
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
    const lines = chart.series.filter((series) => !series.name.endsWith(", interval"));
    const looks = new Set(lines.map((line) => `${line.symbol} ${JSON.stringify(line.dash)}`));
    assert.equal(looks.size, lines.length);
  }
  const fills = await page.$eval("#rates .chart", (place) =>
    echarts.getInstanceByDom(place).getOption().series.filter((series) => series.type === "bar").map((series) => series.itemStyle.color));
  assert.equal(fills[1], "transparent");
  await page.close();
});

test("it follows the reader's colours, and a button turns them", async () => {
  const { page, complaints } = await open(browser, "usual", { colorScheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const ink = () => page.$eval("#rates .chart", (place) => echarts.getInstanceByDom(place).getOption().textStyle.color);
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

for (const [name, width] of [["phone", 360], ["tablet", 768]]) {
  test(`a ${name} need not scroll sideways, with open tables neither`, async () => {
    const { page, complaints } = await open(browser, "usual", { viewport: { width, height: 740 }, isMobile: true, hasTouch: true });
    const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(await overhang() <= 0);
    await screenshot(page, name);
    await page.$$eval("details", (all) => all.forEach((fold) => { fold.open = true; }));
    await page.waitForSelector("#timeline tbody tr");
    assert.ok(await overhang() <= 0);
    const widths = await page.$$eval(".chart", (places) => places.map((place) => place.firstElementChild.getBoundingClientRect().width));
    assert.ok(widths.every((each) => each > 0 && each <= width));
    assert.deepEqual(complaints, []);
    await page.close();
  });
}

test("charts take the width that a resized window has", async () => {
  const { page } = await open(browser, "usual");
  await page.setViewportSize({ width: 500, height: 800 });
  await page.waitForFunction(() => [...document.querySelectorAll(".chart")].every((place) =>
    Math.abs(echarts.getInstanceByDom(place).getWidth() - place.clientWidth) < 2));
  await page.close();
});

test("printed, it is dark on white, as wide as the paper, and without buttons", async () => {
  const { page, complaints } = await open(browser, "usual", { colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await page.isVisible("#theme"), false);
  assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById("filters")).position), "static");
  await screenshot(page, "print");
  const printed = await page.pdf({ format: "A4", path: `${process.env.SCREENSHOTS}/print.pdf` });
  assert.ok(printed.length > 50_000);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("names are never taken for markup", async () => {
  const { page, complaints } = await open(browser, "hostile");
  assert.equal(await page.$$eval("body > script", (all) => all.length), 3);
  assert.equal((await table(page, "rates"))[0][3], '<b>bold</b> & "quoted"');
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

test("the chart library's licence is named", async () => {
  const { page } = await open(browser, "usual");
  assert.match(await page.textContent("#licences"), /Apache License, Version 2\.0.*The Apache Software Foundation/s);
  await page.close();
});

test("an empty page says why each chart is empty", async () => {
  const { page, complaints } = await open(browser, "empty");
  for (const section of ["verdict", ...chartSections])
    assert.match(await page.textContent(`#${section} .empty`), /There are no trials\./);
  await screenshot(page, "empty");
  assert.deepEqual(complaints, []);
  await page.close();
});
