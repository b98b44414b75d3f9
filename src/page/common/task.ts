// The state of asynchronous work of a view: running, done with a value, or failed with a problem.

import { useCallback, useRef, useState } from "preact/hooks";
import { errorMessage } from "./api.ts";

interface TaskState<Value> {
  readonly value?: Value | undefined;
  readonly problem?: string | undefined;
  readonly busy?: boolean;
}

/** `run` never rejects. It aborts the signal of the previous run, but keeps its value until the work succeeds. */
export function useTask<Value>() {
  const [state, setState] = useState<TaskState<Value>>({});
  const controllerRef = useRef<AbortController>(undefined);
  const run = useCallback(async (work: (signal: AbortSignal) => Promise<Value>): Promise<void> => {
    controllerRef.current?.abort();
    const controller = new AbortController();
    controllerRef.current = controller;
    setState(({ value }) => ({ value, busy: true }));
    const result: TaskState<Value> = await work(controller.signal).then(
      (value) => ({ value }),
      (failure) => ({ problem: errorMessage(failure) }),
    );
    if (!controller.signal.aborted) setState(({ value }) => ({ value, ...result }));
  }, []);
  const clearProblem = useCallback(() => setState(({ problem: _, ...others }) => others), []);
  return { ...state, run, clearProblem };
}
