/** What is asked. All texts are data: whoever made them may be hostile. */
export interface Question {
  title: string;
  /** What is worth knowing before anything else. */
  warnings: readonly string[];
  sections: readonly { heading: string; lines: readonly string[] }[];
}

const STYLE = `
dialog { all: revert; box-sizing: border-box; width: min(34rem, 94vw); max-height: 90vh; overflow: auto; padding: 1.25rem;
  border: 1px solid #8884; border-radius: 12px; font: 15px/1.45 system-ui, sans-serif; color: #1d2733; background: #fff;
  color-scheme: light; text-align: left; direction: ltr }
dialog::backdrop { background: #0008 }
h1 { font-size: 1.15rem; margin: 0 0 .25rem }
h2 { font-size: .8rem; margin: 1rem 0 .25rem; color: #5a6675 }
ul { margin: 0; padding: 0; list-style: none }
li { padding: .3rem 0; border-top: 1px solid #8883; overflow-wrap: anywhere; white-space: pre-wrap }
.warning { background: #fff0d6; border: 1px solid #d48806; border-radius: 8px; padding: .5rem .75rem; margin: .5rem 0;
  overflow-wrap: anywhere }
.buttons { display: flex; gap: .75rem; justify-content: flex-end; margin-top: 1.25rem }
button { all: revert; font: inherit; padding: .5rem 1.25rem; border-radius: 8px; border: 1px solid #8886; background: #f2f4f7;
  color: inherit; cursor: pointer }
button.approve { background: #1d4ed8; border-color: #1d4ed8; color: #fff }
`;

let last: Promise<unknown> = Promise.resolve();

/**
 * Asks in a dialog of its own, one question after the other, and answers whether it was approved by a hand: clicks that
 * the page's own script makes do not count.
 */
export function ask(question: Question): Promise<boolean> {
  const answer = last.then(() => show(question));
  last = answer.catch(() => {});
  return answer;
}

function show({ title, warnings, sections }: Question): Promise<boolean> {
  const host = document.createElement('slipway-sandbox-wallet');
  // Open, so that tests of an app in a browser can find the buttons.
  const root = host.attachShadow({ mode: 'open' });
  const style = new CSSStyleSheet();
  style.replaceSync(STYLE);
  root.adoptedStyleSheets = [style];
  const reject = element('button', 'Reject');
  const approve = element('button', 'Approve');
  approve.className = 'approve';
  const buttons = element('div', '', reject, approve);
  buttons.className = 'buttons';
  const notes = warnings.map((text) => {
    const note = element('div', text);
    note.className = 'warning';
    return note;
  });
  const lists = sections.map(({ heading, lines }) =>
    element('section', '', element('h2', heading), element('ul', '', ...lines.map((line) => element('li', line)))),
  );
  const dialog = element('dialog', '', element('h1', title), ...notes, ...lists, buttons);
  root.append(dialog);
  document.documentElement.append(host);
  dialog.showModal();
  reject.focus();
  return new Promise((resolve) => {
    const end = (approved: boolean) => {
      host.remove();
      resolve(approved);
    };
    approve.addEventListener('click', ({ isTrusted }) => isTrusted && end(true));
    reject.addEventListener('click', () => end(false));
    dialog.addEventListener('close', () => end(false));
  });
}

function element<K extends keyof HTMLElementTagNameMap>(name: K, text: string, ...children: Node[]) {
  const made = document.createElement(name);
  made.append(...(text === '' ? [] : [visible(text)]), ...children);
  return made;
}

/** The text with all that would not be seen, or would turn its direction around, written out. */
export function visible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, (char) => {
    return `\\u{${char.codePointAt(0)!.toString(16)}}`;
  });
}
