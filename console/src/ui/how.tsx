import { type Call, curlOf, type Recorder } from '../lib/api.js';
import { useCalls } from '../lib/sandbox.js';
import { Copied } from './parts.js';

/** "How was this done?": the client code of a screen, and the requests that it has made. */
export function How({ code, recorder }: { code: string; recorder: Recorder }) {
  const calls = useCalls(recorder);
  return (
    <details className="panel mt-5">
      <summary className="px-4 py-2.5 font-semibold text-sm">How was this done?</summary>
      <p className="border-line border-t px-4 pt-3 text-sm">
        <a href="/docs" className="text-accent underline">
          The reference of the API
        </a>{' '}
        tells each request and answer.
      </p>
      <div className="grid gap-4 p-4 lg:grid-cols-2">
        <Listing title="With @slipway/client" text={code} />
        <div className="grid min-w-0 content-start gap-2">
          <h3 className="label">The requests of this screen</h3>
          {calls.length === 0 && <p className="text-soft text-sm">None yet.</p>}
          {calls.map((call) => (
            <Request key={`${call.method} ${call.path.split('?')[0]}`} call={call} />
          ))}
        </div>
      </div>
    </details>
  );
}

function Listing({ title, text }: { title: string; text: string }) {
  return (
    <div className="min-w-0">
      <div className="mb-2 flex justify-between">
        <h3 className="label">{title}</h3>
        <Copied text={text} shown="Copy" what="the code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre tabIndex={0} className="overflow-x-auto rounded bg-sunken p-3 font-mono text-xs leading-relaxed">
        {text}
      </pre>
    </div>
  );
}

function Request({ call }: { call: Call }) {
  const { method, path, status = 0, milliseconds } = call;
  return (
    <details className="rounded border border-line">
      <summary className="flex flex-wrap gap-x-2 px-2 py-1.5 font-mono text-xs [overflow-wrap:anywhere]">
        <span>{method}</span> <span className="flex-1">{path.split('?')[0]}</span>
        <span className={status < 400 ? 'text-up' : 'text-down'}>{status}</span>
        <span className="text-soft">{milliseconds} ms</span>
      </summary>
      <div className="border-line border-t p-2">
        <Listing title="curl" text={curlOf(call)} />
      </div>
    </details>
  );
}
