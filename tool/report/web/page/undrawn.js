// Stands where the laboratory draws what it measured, in pages that it has not drawn: their answers say why.

function sweepPanel() {
  return null;
}
