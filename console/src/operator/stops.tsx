import { useState } from 'react';
import { Labelled, Panel } from '../ui/parts.js';
import { Deed, shellWord } from './deed.js';
import { act } from './session.js';
import { momentText, Table, useAdmin } from './table.js';

const STOPPABLE = {
  fills: 'The keepers send nothing: no order is filled.',
  crafts: 'No transaction is crafted for clients. What they have already can still be signed and sent.',
  all: 'Nothing is crafted, signed or sent, by clients or keepers. Reading and logging in go on.',
} as const;
type What = keyof typeof STOPPABLE;

interface Stop {
  what: What;
  why: string;
  stoppedBy: string;
  stoppedAt: string;
}

/** What the service must not do now, and the button for it. */
export function Stops() {
  const { data, error } = useAdmin<{ stops: Stop[] }>('stops', '/stops');
  return (
    <div className="grid gap-4">
      <Panel title="Stop">
        <NewStop />
      </Panel>
      <Panel title="Stopped now">
        <Table
          name="Stops"
          headings={['What', 'Why', 'Act', 'By', 'Since']}
          rows={data?.stops}
          error={error}
          keyOf={({ what }) => what}
          none="Nothing is stopped."
          cells={({ what, why, stoppedBy, stoppedAt }) => [
            <span key="what" className="font-semibold text-down">
              {what}
            </span>,
            <bdi key="why" className="[overflow-wrap:anywhere]">
              {why}
            </bdi>,
            <Deed
              key="act"
              name="Resume"
              says={
                <>
                  Stopped by {stoppedBy} since {momentText(stoppedAt)}: <bdi>{why}</bdi>. Every copy of the service goes
                  on with {what} within a second.
                </>
              }
              command={`slipway resume ${shellWord(what)}`}
              changes="stops"
              run={() => act('DELETE', `/stops/${what}?stoppedAt=${stoppedAt}`)}
            />,
            stoppedBy,
            momentText(stoppedAt),
          ]}
        />
      </Panel>
    </div>
  );
}

function NewStop() {
  const [what, setWhat] = useState<What>('fills');
  const [why, setWhy] = useState('');
  const reason = why.trim();
  return (
    <div className="grid items-end gap-3 p-4 sm:grid-cols-[10rem_1fr_auto]">
      <Labelled name="What">
        {(id) => (
          <select id={id} className="field" value={what} onChange={({ target }) => setWhat(target.value as What)}>
            {Object.keys(STOPPABLE).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Labelled>
      <Labelled name="Why (clients read it)">
        {(id) => (
          <input
            id={id}
            className="field"
            maxLength={300}
            value={why}
            onChange={({ target }) => setWhy(target.value)}
          />
        )}
      </Labelled>
      <Deed
        kind="main"
        name="Stop"
        disabled={reason === ''}
        says={`${STOPPABLE[what]} Every copy of the service obeys within a second.`}
        command={`slipway stop ${what} --why ${shellWord(reason)}`}
        changes="stops"
        run={() => act('PUT', `/stops/${what}`, { why: reason })}
      />
      <p className="text-soft text-sm sm:col-span-3">{STOPPABLE[what]}</p>
    </div>
  );
}
