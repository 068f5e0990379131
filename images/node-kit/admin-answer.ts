/** What an admin request is answered with; the body becomes JSON. */
export interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** @param body the request's JSON, or undefined when it had none; it is not ours and may be anything */
export type AdminHandler = (body: unknown) => AdminAnswer | Promise<AdminAnswer>;
