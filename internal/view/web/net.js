// Questions to the server. The token comes in the fragment of the URL, which no browser sends, and stays with the tab.

let token = sessionStorage.getItem("token") ?? "";

// setToken keeps the token for questions to come.
export function setToken(text) {
  token = text;
  sessionStorage.setItem("token", text);
}

// ask returns the JSON answer of the server. Parameters without a value are left out.
export async function ask(path, parameters, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) if (value !== "" && value !== undefined) query.append(name, value);
  let answer;
  try {
    answer = await fetch(path + (query.size ? "?" + query : ""), { signal, headers: token ? { Authorization: "Bearer " + token } : {} });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer");
  }
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error ?? "status " + answer.status);
  return body;
}
