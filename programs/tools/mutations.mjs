// The small changes to a C source that a program's tests must notice. Works on text, a statement or operator at a time.

const RELATIONS = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==' };
const ARITHMETIC = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '/', '&': '|', '|': '&', '<<': '>>', '>>': '<<' };

/** All single changes of a source file: { line (from 1), before, after, kind, changed: the whole changed line }. */
export function mutationsOf(source) {
  const lines = source.split('\n');
  const found = [];
  let depth = 0;
  for (const [index, line] of lines.entries()) {
    const code = blankComments(line);
    const inFunction = depth > 0;
    depth += count(code, '{') - count(code, '}');
    if (code.startsWith('#') || code.endsWith('\\')) continue;
    const changes = [
      ...(inFunction ? statementChanges(code) : []),
      ...(inFunction || isOneLiner(code) ? operatorChanges(code) : []),
    ];
    for (const { kind, at, length, put } of changes) {
      const changed = line.slice(0, at) + put + line.slice(at + length);
      found.push({ line: index + 1, kind, before: line.trim(), after: changed.trim(), changed });
    }
  }
  return found;
}

const count = (text, character) => text.split(character).length - 1;
const isOneLiner = (code) => /\) \{ .* \}$/.test(code);

// The same length, so that places stay.
function blankComments(line) {
  const at = line.indexOf('//');
  return at < 0 ? line : line.slice(0, at).padEnd(line.length);
}

function* statementChanges(code) {
  const body = code.trimEnd();
  const start = body.length - body.trimStart().length;
  const whole = { at: start, length: body.length - start };
  // A statement that is a call, a check, an increment or an assignment through a pointer is left out.
  if (/^\s+CHECK\(.*\);$/.test(body)) yield { kind: 'check removed', ...whole, put: ';' };
  else if (/^\s+TRY\(.*\);$/.test(body))
    yield { kind: 'refusal ignored', ...whole, put: body.trim().replace(/^TRY\(/, '(void)(') };
  else if (/^\s+\w+\(.*\);$/.test(body)) yield { kind: 'call removed', ...whole, put: ';' };
  else if (/^\s+[\w[\]>.()*-]+(\+\+|--| [-+|&]?=(?!=) .*);$/.test(body))
    yield { kind: 'assignment removed', ...whole, put: ';' };
  for (const match of code.matchAll(/\b(if|while) \(/g)) {
    const open = match.index + match[0].length - 1;
    const close = closing(code, open);
    if (close < 0) continue;
    const condition = { at: open + 1, length: close - open - 1 };
    const constant = (value) => `${code.slice(open + 1, close)} ? ${value} : ${value}`;
    yield { kind: 'never', ...condition, put: constant('false') };
    if (match[1] === 'if') yield { kind: 'always', ...condition, put: constant('true') };
  }
}

function* operatorChanges(code) {
  for (const match of code.matchAll(/ (&&|\|\|) /g)) {
    const neutral = match[1] === '&&' ? 'true' : 'false';
    const left = operandStart(code, match.index);
    const right = operandEnd(code, match.index + match[0].length);
    yield { kind: 'operand dropped', at: left, length: match.index - left, put: neutral };
    yield {
      kind: 'operand dropped',
      at: match.index + match[0].length,
      length: right - match.index - match[0].length,
      put: neutral,
    };
  }
  for (const match of code.matchAll(/ (<=|>=|==|!=|<<|>>|[-<>+*/%&|]) /g)) {
    const put = RELATIONS[match[1]] ?? ARITHMETIC[match[1]];
    yield { kind: 'operator', at: match.index + 1, length: match[1].length, put };
  }
  for (const match of code.matchAll(/!(?=[\w(])/g))
    yield { kind: 'negation dropped', at: match.index, length: 1, put: '' };
  for (const match of code.matchAll(/(?<![\w.])(0x[0-9a-f]+|\d+)(UL)?\b/g)) {
    if (/^\s*(?:\w+ )+\w+\[$/.test(code.slice(0, match.index))) continue; // the length of a new array
    yield { kind: 'number', at: match.index, length: match[1].length, put: String(BigInt(match[1]) + 1n) };
  }
}

function closing(code, open) {
  for (let i = open, depth = 0; i < code.length; i++) {
    if (code[i] === '(') depth++;
    if (code[i] === ')' && --depth === 0) return i;
  }
  return -1;
}

function operandStart(code, end) {
  let depth = 0;
  for (let i = end - 1; i >= 0; i--) {
    if (code[i] === ')') depth++;
    if (code[i] === '(' && --depth < 0) return i + 1;
    if (depth === 0 && /^(&&|\|\|)/.test(code.slice(i))) return i + 3;
    if (depth === 0 && /^\breturn /.test(code.slice(i))) return i + 'return '.length;
  }
  return code.length - code.trimStart().length;
}

function operandEnd(code, start) {
  let depth = 0;
  for (let i = start; i < code.length; i++) {
    if (code[i] === '(') depth++;
    if (code[i] === ')' && --depth < 0) return i;
    if (depth === 0 && (code[i] === ';' || code[i] === ',' || /^ (&&|\|\|) /.test(code.slice(i)))) return i;
  }
  return code.trimEnd().length;
}
