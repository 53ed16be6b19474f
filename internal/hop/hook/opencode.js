// Written by `hop hook install opencode`; `hop hook uninstall opencode` removes it.
// It passes what happens in a conversation on to Hop, and what Hop answers to the
// model. Nothing here holds OpenCode up: without Hop it does nothing.
import { spawn } from "node:child_process"

const limits = { "chat.message": 120000 }
const changing = ["bash", "edit", "write", "patch", "apply_patch", "multiedit"]

function ask(payload) {
  return new Promise((done) => {
    let text = ""
    const child = spawn("hop", ["hook", "opencode"], { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill(), limits[payload.hook_event_name] ?? 30000)
    const end = () => {
      clearTimeout(timer)
      try {
        done(JSON.parse(text))
      } catch {
        done({})
      }
    }
    child.on("error", end)
    child.on("close", end)
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => {
      text += part
    })
    child.stdin.end(JSON.stringify(payload))
  })
}

const textOf = (parts) =>
  parts
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n")

export const HopPlugin = async ({ client, directory }) => {
  const roots = new Map()
  const replies = new Map()

  // A conversation that another one started works for that one.
  const rootOf = async (id) => {
    if (!roots.has(id)) {
      const found = await client.session.get({ path: { id } }).catch(() => undefined)
      const parent = found?.data?.parentID
      roots.set(id, parent ? await rootOf(parent) : id)
    }
    return roots.get(id)
  }

  const tell = async (event, session, more) => {
    const reply = await ask({ hook_event_name: event, session_id: session, cwd: directory, ...more })
    if (reply.context) replies.set(session, reply)
  }

  return {
    "chat.message": async (input, output) => {
      if ((await rootOf(input.sessionID)) !== input.sessionID) return
      await tell("chat.message", input.sessionID, { prompt: textOf(output.parts) })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const reply = input.sessionID && replies.get(await rootOf(input.sessionID))
      if (reply) output.system.push(reply.context)
    },
    "shell.env": async (input, output) => {
      const reply = input.sessionID && replies.get(await rootOf(input.sessionID))
      if (reply) Object.assign(output.env, reply.env)
    },
    "tool.execute.after": async (input) => {
      if (changing.includes(input.tool)) await tell("tool.execute.after", await rootOf(input.sessionID), {})
    },
    event: async ({ event }) => {
      const session = event.type === "session.idle" && event.properties.sessionID
      if (!session || (await rootOf(session)) !== session) return
      const found = await client.session.messages({ path: { id: session } }).catch(() => undefined)
      const last = found?.data?.findLast((message) => message.info.role === "assistant")
      await tell("session.idle", session, { answer: last ? textOf(last.parts) : "" })
    },
  }
}
