// What the plugins in TypeScript share: how they tell `engram hook AGENT EVENT` what happens.
// It goes where they import it when they are installed (embed.go): agents load whatever lies
// in their folder as a plugin of its own, and one file that is whole cannot lose its other half.
import { spawn as start } from "node:child_process"
import { Socket } from "node:net"

export const program = "__ENGRAM__"
export const dataDir: string[] = ["__DATA_DIR_ARGS__"]

export const patience = 1000 // ms; a hook answers within 200
const rest = 60_000 // ms without a question after three that were not answered in time
const slow = 10_000 // ms that a hook has to keep what is told while nobody waits for its answer
const mostTold = 1 << 20 // characters of a tool's output; the hook reads more, and keeps much less
const mostHeard = 1 << 20 // characters of an answer

export type Answer = { context?: string; ask?: string }

// What is lost when it is not told: it is told even while nothing is asked, and may take longer.
const kept = new Set(["prompt", "stop", "subagent-stop", "before-compact", "after-compact", "session-end"])

// teller is what runs the hooks of an agent for an event; {} when there is nothing to hear. The
// event reaches the program even when nobody waits for the answer, and when the agent ends meanwhile.
export function teller(agent: string): (event: string, about: object) => Promise<Answer> {
  let late = 0 // answers in a row
  let until = 0

  return (event, about) => {
    const resting = Date.now() < until
    if (resting && !kept.has(event)) return Promise.resolve({})
    return new Promise((done) => {
      let heard = ""
      try {
        const hook = start(program, ["hook", agent, event, ...dataDir], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
        const timer = setTimeout(() => {
          if (!kept.has(event)) hook.kill("SIGKILL")
          else setTimeout(() => hook.kill("SIGKILL"), slow).unref()
          // An agent that ends meanwhile waits for what is still to be told, not for the hook.
          hook.unref()
          if (hook.stdout instanceof Socket) hook.stdout.unref()
          if (++late >= 3) [late, until] = [0, Date.now() + rest]
          done({})
        }, patience)
        if (resting) done({})
        const end = (answer: Answer) => {
          clearTimeout(timer)
          done(answer)
        }
        hook.on("error", () => end({}))
        const begun = Date.now()
        hook.on("close", () => {
          if (Date.now() - begun < patience) [late, until] = [0, 0]
          end(read(heard))
        })
        hook.stdout.setEncoding("utf8")
        hook.stdout.on("error", () => {})
        hook.stdout.on("data", (chunk: string) => {
          if (heard.length < mostHeard) heard += chunk
        })
        hook.stdin.on("error", () => {}) // it ended before it had read everything
        hook.stdin.end(JSON.stringify(about))
      } catch {
        done({})
      }
    })
  }
}

// ended is what a tool printed as it is told: all of it, as a rule, for the hook looks for secrets
// before it cuts. Of what is too long the end is told, where errors stand, from a line on; never
// the rest of a private span or a key, which nobody would know for what it is.
export function ended(output: string): string {
  if (output.length <= mostTold) return output
  let from = lineFrom(output, output.length - mostTold)
  for (const mark of [/<(\/?)\s*private\b/gi, /-----(?:BEGIN|(END)) /g]) {
    let open = 0
    for (const { 1: closing, index = 0 } of output.matchAll(mark)) {
      if (index >= from && open === 0) break
      open = closing ? Math.max(0, open - 1) : open + 1
      if (index >= from && open === 0) from = lineFrom(output, index)
    }
    if (open > 0) return ""
  }
  return output.slice(from)
}

// lineFrom is where the first line begins behind a place; the end where none does.
function lineFrom(text: string, at: number): number {
  return text.indexOf("\n", at) + 1 || text.length
}

function read(answer: string): Answer {
  try {
    const said: unknown = JSON.parse(answer)
    if (typeof said !== "object" || said === null) return {}
    const text = (v: unknown) => (typeof v === "string" && v !== "" ? v : undefined)
    return { context: text((said as Answer).context), ask: text((said as Answer).ask) }
  } catch {
    return {} // silence is no JSON either
  }
}

// quietly makes a handler one that cannot fail.
export function quietly<A extends unknown[], R>(handler: (...args: A) => Promise<R>): (...args: A) => Promise<R | undefined> {
  return async (...args) => {
    try {
      return await handler(...args)
    } catch {
      return undefined // whatever it was, the session goes on
    }
  }
}
