// Compiled, never run: the plugins against the types that their agents publish.
import type { PluginModule } from "@opencode-ai/plugin"
import type { Plugin } from "@opencode-ai/plugin/v2/promise"
import type { ExtensionFactory } from "@earendil-works/pi-coding-agent"
import opencode from "./opencode"
import pi from "./pi"

export const v1: PluginModule = opencode
export const v2: Plugin = opencode
export const extension: ExtensionFactory = pi

// The types say no to what is wrong.
// @ts-expect-error
export const noV1: PluginModule = { id: "x", setup: opencode.setup }
// @ts-expect-error
export const noV2: Plugin = { id: "x", server: opencode.server }
// @ts-expect-error
export const noExtension: ExtensionFactory = opencode
