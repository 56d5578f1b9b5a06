// Package engram defines the nouns of Engram (a memory, a session, a project …) and the contracts between the
// engine and its stores. It imports only the standard library and does no input or output.
//
// # Glossary
//
//   - memory: one thing worth knowing in a later session ([Memory])
//   - revision: an earlier text of a memory ([Revision])
//   - type: what kind of thing it is ([Type]); scope: for whom ([Scope])
//   - topic key: a name such as architecture/auth-model; saving under the same key revises the same memory
//   - session: one stretch of an agent's work ([Session]); prompt: what a person asked ([Prompt])
//   - project: the name memories are kept under ([Project])
//   - relation: a typed link between two memories ([Relation])
//   - strength: how present a memory is, from 0 to 1; it fades with time
//   - forget: hide softly, reversibly; erase: remove for good
//   - hit: a memory, its score and why it was found ([Hit]); channel: a way of searching ([Channel])
//   - below threshold: found, but too far from the question to be an answer ([Found])
//   - vector: the meaning of a text for an embedding model; the angle between two vectors says how near two
//     texts are ([Embedder])
//   - exposure: one showing of a memory to a session ([Exposure])
//   - journal: who changed what, when and why ([Mutation])
//
// # The map
//
// Every line of the program answers one of four questions, and each answer has one place:
//
//   - what a thing is: this package, a file per noun
//   - what Engram does: internal/engine, a file per operation
//   - how something is computed: pure functions in internal/lifecycle, retrieval, text, vector, postings,
//     topic, project, redact, capture, render, document
//   - how it is stored, sent or shown: internal/sqlite, embedding, chat, git (technologies), mcp, httpapi, cli
//     (frontends)
//
// internal/config reads the settings, internal/app wires everything, cmd/engram is the program. Tests share
// internal/enginetest, storetest and replica/replicatest; internal/eval measures the quality of search.
//
// arch_test.go holds the table of permitted imports, docs/architecture.md the whole story.
package engram
