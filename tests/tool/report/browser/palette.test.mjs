// The colours of the charts are told apart by people with each of the three common colour blindnesses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const source = readFileSync(new URL("../../../../tool/report/web/page/palette.js", import.meta.url), "utf8");
const palettes = new Function(`${source}; return palettes;`)();

// What light of linear red, green and blue looks like, where one kind of cones is missing. Source: Machado, Oliveira and
// Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency (2009), severity 1.
const visions = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function times(matrix, vector) {
  return matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));
}

function linear(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
}

// A space in which distances are about as large as they look; the least that is noticed is about 0.02. Source: Björn
// Ottosson, A perceptual color space for image processing (2020).
function oklab(light) {
  const cones = times([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005]], light.map((part) => Math.min(1, Math.max(0, part)))).map(Math.cbrt);
  return times([[0.2104542553, 0.793617785, -0.0040720468], [1.9779984951, -2.428592205, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.808675766]], cones);
}

function distance(one, other, vision) {
  const [a, b] = [one, other].map((colour) => oklab(times(visions[vision], linear(colour))));
  return Math.hypot(...a.map((part, i) => part - b[i]));
}

function contrast(one, other) {
  const [low, high] = [one, other].map((colour) => times([[0.2126, 0.7152, 0.0722]], linear(colour))[0]).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const easilyTold = 0.07;

for (const [theme, { methods, other, ink, paper, bar }] of Object.entries(palettes)) {
  for (const vision of Object.keys(visions))
    test(`any two colours of methods differ, ${theme}, ${vision}`, () => {
      const all = [...methods, other, ink];
      all.forEach((one, i) => all.slice(i + 1).forEach((another) => {
        const far = distance(one, another, vision);
        assert.ok(far >= easilyTold, `${one} and ${another}: ${far.toFixed(3)}`);
      }));
    });

  test(`every colour stands out from the paper, ${theme}`, () => {
    for (const colour of [...methods, other, bar]) assert.ok(contrast(colour, paper) >= 3, colour);
  });
}

test("the filters know what is confused: red and green that only green-blind people take for one", () => {
  assert.ok(distance("#a05a2c", "#6b7a2c", "usual") > easilyTold);
  assert.ok(distance("#a05a2c", "#6b7a2c", "deuteranopia") < easilyTold);
});
