// The page's end of the line to the server. Everything is JSON; long answers are lines of JSON, read while they come.

const KEPT = "posetta-token";

/** What the server said about a request that it did not do. */
export class Refusal extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Takes the token out of the address, where nobody looks over a shoulder, and keeps it as long as the tab is open. */
export function takeToken() {
  const found = /^#token=([0-9a-f]+)$/.exec(window.location.hash);
  if (found === null) return;
  window.sessionStorage.setItem(KEPT, found[1]);
  window.history.replaceState(null, "", window.location.pathname);
}

/** @returns {Record<string, string>} */
function headers() {
  const token = window.sessionStorage.getItem(KEPT);
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

/**
 * @param {string} path
 * @param {RequestInit} request
 * @returns {Promise<Response>}
 */
async function fetched(path, request) {
  let response;
  try {
    response = await fetch(path, { ...request, headers: headers(), cache: "no-store" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Refusal(0, "The server does not answer. Was it ended?");
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => null);
  throw new Refusal(response.status, told?.error ?? `The server answered with status ${response.status}.`);
}

/**
 * What the server knows.
 *
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function get(path) {
  return (await fetched(path, { method: "GET" })).json();
}

/**
 * What it answers to a question.
 *
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function post(path, body, signal) {
  return (await fetched(path, { method: "POST", body: JSON.stringify(body), signal })).json();
}

/**
 * Hands a file over.
 *
 * @param {File} file
 * @returns {Promise<{dropped: number, name: string, size: number}>}
 */
export async function drop(file) {
  const body = new Blob([JSON.stringify({ name: file.name }), "\n", file]);
  return (await fetched("/api/drop", { method: "POST", body })).json();
}

/**
 * The lines of a job, as they come.
 *
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<any>}
 */
export async function* job(path, body, signal) {
  const response = await fetched(path, { method: "POST", body: JSON.stringify(body), signal });
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

/**
 * The answer of a job.
 *
 * @param {number} number
 * @returns {Promise<Response>}
 */
export function output(number) {
  return fetched(`/api/jobs/${number}/output`, { method: "GET" });
}
