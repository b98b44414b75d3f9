// The session (facts, API and key) and form elements that views share. The key is kept in this page's memory only.

import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { PageFacts } from "../facts.ts";
import type { Api } from "./api.ts";

export interface SessionValue {
  readonly facts: PageFacts;
  readonly api: Api;
  readonly key: string | undefined;
  readonly setKey: (key: string | undefined) => void;
  /** Reports whether the key is known to lack a scope. */
  readonly lacksScope: (scope: string) => boolean;
  /** Why the daemon rejected the key. */
  readonly keyProblem: string | undefined;
}

export const Session = createContext<SessionValue | undefined>(undefined);

export function useSession(): SessionValue {
  return useContext(Session) as SessionValue;
}

export interface ChildrenProps {
  readonly children: ComponentChildren;
}

type DnsProps = ChildrenProps & Readonly<{ dns: boolean; onChange: (dns: boolean) => void }>;

export function DnsCheckbox({ dns, onChange, children }: DnsProps): ComponentChildren {
  if (!useSession().facts.dns) return <p class="note">This daemon makes no DNS lookups.</p>;
  return (
    <LabeledInput type="checkbox" checked={dns} onChange={({ currentTarget }) => onChange(currentTarget.checked)}>
      {children}
    </LabeledInput>
  );
}

/** A button for an action that is not the main one. Disabled if the key lacks the scope. */
export function QuietButton({
  scope,
  ...props
}: Omit<JSX.IntrinsicElements["button"], "ref"> & { readonly scope?: string }): ComponentChildren {
  const { lacksScope } = useSession();
  const lack = scope !== undefined && lacksScope(scope) ? `The key lacks ${scope}.` : undefined;
  return <button type="button" class="quiet" disabled={lack !== undefined} title={lack} {...props} />;
}

interface SelectProps extends Readonly<Record<"label" | "value", string>> {
  readonly required?: boolean;
  readonly options: readonly (readonly [value: string, title: string, isUsable?: boolean])[];
  readonly onChange: (value: string) => void;
}

export function Select({ label, value, required, options, onChange }: SelectProps): ComponentChildren {
  return (
    <label>
      {label}
      <select required={required} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([option, title, isUsable = true]) => (
          <option key={option} value={option} disabled={!isUsable}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A checkbox or radio button with its text. */
export function LabeledInput({ children, ...input }: JSX.IntrinsicElements["input"]): ComponentChildren {
  return (
    <label class="tick" title={input.title}>
      <input {...input} /> {children}
    </label>
  );
}

interface DetailsProps extends ChildrenProps {
  readonly summary: ComponentChildren;
  readonly class?: string;
  /** Opening it closes the others of the same name. */
  readonly name?: string;
}

/** A `<details>` whose content is created when it is first opened, because a list may have a thousand of them. */
export function LazyDetails({ summary, children, ...props }: DetailsProps): ComponentChildren {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details {...props} open={wasOpened} onToggle={({ currentTarget }) => currentTarget.open && setWasOpened(true)}>
      <summary>{summary}</summary>
      {wasOpened && <div class="result">{children}</div>}
    </details>
  );
}
