// Finds files that import each other in a circle, each through the others.

/** The first circle that each file is in, as its files in their order; `imports`: the files that each file imports. */
export function circlesOf(imports) {
  const circles = [];
  const done = new Set();
  const way = [];
  const visit = (file) => {
    if (way.includes(file)) circles.push(way.slice(way.indexOf(file)));
    if (way.includes(file) || done.has(file)) return;
    way.push(file);
    for (const imported of imports.get(file) ?? []) visit(imported);
    way.pop();
    done.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return circles;
}
