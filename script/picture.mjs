// Takes pictures: of the first screen of a report, node picture.mjs REPORT.html PICTURE.png,
// of any pages, whole or their first screens, each to a picture beside it: node picture.mjs --whole|--first PAGE.html…,
// or of a report as different readers see it: node picture.mjs --report REPORT.html DIRECTORY.
import { execSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "../tool/report/web/node_modules/playwright-core/index.mjs";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const executablePath = execSync(names.map((name) => `command -v ${name}`).join(" || "), { shell: "/bin/sh" }).toString().trim();
// The sandbox does not work for root, and /dev/shm is small in containers.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
async function take(page, picture, size, options = {}) {
  const view = await browser.newPage({ viewport: size, colorScheme: options.colours });
  await view.goto(pathToFileURL(path.resolve(page)).href + (options.hash ?? ""));
  if (options.selector) await view.waitForSelector(options.selector);
  if (options.media) await view.emulateMedia({ media: options.media });
  if (options.vision) {
    const session = await view.context().newCDPSession(view);
    await session.send("Emulation.setEmulatedVisionDeficiency", { type: options.vision });
  }
  await view.waitForTimeout(500);
  await view.screenshot({ path: picture, fullPage: options.whole });
  await view.close();
}

async function takeReport(page, directory) {
  const wide = { width: 1280, height: 800 };
  const all = { selector: "html[data-ready=yes]", whole: true };
  const open = { ...all, hash: "#open=cost,sweep" };
  const to = (name) => path.join(directory, `${name}.png`);
  await take(page, to("wide"), wide, all);
  await take(page, to("dark"), wide, { ...open, colours: "dark" });
  await take(page, to("phone"), { width: 390, height: 740 }, { ...all, hash: "#open=cost" });
  await take(page, to("print"), { width: 700, height: 900 }, { ...all, media: "print" });
  for (const vision of ["deuteranopia", "protanopia", "tritanopia"]) await take(page, to(vision), wide, { ...open, vision });
}

const [how, ...pages] = process.argv.slice(2);
if (how === "--whole" || how === "--first")
  for (const page of pages)
    await take(page, page.replace(/html$/, "png"), { width: 1012, height: how === "--first" ? 1000 : 400 }, { whole: how === "--whole" });
else if (how === "--report") await takeReport(...pages);
else await take(how, pages[0], { width: 1280, height: 900 }, { selector: "html[data-ready=yes]" });
await browser.close();
