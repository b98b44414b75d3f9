// The state of asynchronous work of a view: running, done with a value, or failed with a problem.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, errorMessage } from "./api.ts";

interface TaskState<Value> {
  readonly value?: Value | undefined;
  readonly failure?: unknown;
  readonly busy?: boolean;
}

/**
 * `run` never rejects. It aborts the signal of the previous run, but keeps its value until the work succeeds. `stop`
 * aborts the signal and reports a failure. Removing the view aborts the signal too.
 */
export function useTask<Value>(stopMessage = "try again, or change the settings.") {
  const [state, setState] = useState<TaskState<Value>>({});
  const controllerRef = useRef<AbortController>(undefined);
  const run = async (work: (signal: AbortSignal) => Promise<Value>): Promise<void> => {
    controllerRef.current?.abort();
    const controller = new AbortController();
    controllerRef.current = controller;
    setState(({ value }) => ({ value, busy: true }));
    const result: TaskState<Value> = await work(controller.signal).then(
      (value) => ({ value }),
      (failure) => ({ failure }),
    );
    if (!controller.signal.aborted) setState(({ value }) => ({ value, ...result }));
  };
  const stop = (): void => {
    controllerRef.current?.abort();
    setState(({ value }) => ({ value, failure: new ApiError(stopMessage, 0) }));
  };
  const clear = (): void => setState(({ value: _, failure: __, ...others }) => others);
  useEffect(() => () => controllerRef.current?.abort(), []);
  const problem = state.failure === undefined ? undefined : errorMessage(state.failure);
  return { ...state, problem, run, stop, clear };
}
