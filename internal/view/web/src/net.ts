// Questions to the server that the page comes from, with the token that came in the page's address.

const kept = "pando-token";

export const token = () => sessionStorage.getItem(kept) ?? "";

export const setToken = (text: string) => sessionStorage.setItem(kept, text);

// Refused is an error that the server tells.
export class Refused extends Error {
	constructor(readonly status: number, text: string) {
		super(text);
	}
}

export type Query = Record<string, string | number | string[] | undefined>;

export function address(path: string, query: Query): string {
	const text = new URLSearchParams();
	for (const [name, value] of Object.entries(query)) {
		for (const v of Array.isArray(value) ? value : [value]) if (v !== undefined && v !== "") text.append(name, String(v));
	}
	return path + (text.size > 0 ? "?" + text : "");
}

// ask asks with a token, and returns the answer; an error of the server is a Refused.
// A server that has too much to do at the moment is asked again.
export async function ask(url: string, credential: string, signal?: AbortSignal): Promise<Response> {
	for (let patience = 200; ; patience *= 1.5) {
		const answer = await once(url, credential, signal);
		if (answer.ok) return answer;
		if ((answer.status !== 503 && answer.status !== 429) || patience > 5000) throw await refused(answer);
		await new Promise((done) => setTimeout(done, patience));
		signal?.throwIfAborted();
	}
}

async function once(url: string, credential: string, signal?: AbortSignal): Promise<Response> {
	const headers: HeadersInit = credential ? { Authorization: "Bearer " + credential } : {};
	try {
		return await fetch(url, { headers, signal });
	} catch (e) {
		if ((e as Error).name === "AbortError") throw e;
		throw new Refused(0, "The server does not answer. Is it still running?");
	}
}

async function refused(answer: Response): Promise<Refused> {
	let text = answer.status + " " + answer.statusText;
	try {
		text = (await answer.json()).error;
	} catch {
		// not an answer of ours
	}
	return new Refused(answer.status, answer.status === 401 ? "The token is missing or wrong: open the address that the server printed." : text);
}

export const askJSON = async (path: string, query: Query, signal?: AbortSignal) => (await ask(address(path, query), token(), signal)).json();

// exactly keeps values of attributes that are larger than numbers are exact as they are written.
const exactly = (key: string, v: unknown, text?: { source?: string }) => (key === "value" && Number.isInteger(v) && !Number.isSafeInteger(v) ? text?.source ?? v : v);

// askLines asks for objects, one a line.
export async function askLines(path: string, query: Query, signal?: AbortSignal): Promise<any[]> {
	const text = await (await ask(address(path, query), token(), signal)).text();
	return text.split("\n").filter((l) => l !== "").map((l) => JSON.parse(l, exactly as any));
}
