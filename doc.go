// Package engram is what Engram is about: the nouns (a memory, a session, a
// project …) and the contracts between the engine and what keeps them. It imports
// the standard library alone and does no input or output.
//
// # Glossary
//
//   - memory: one thing worth knowing in a later session ([Memory])
//   - revision: what a memory said before it was changed ([Revision])
//   - type: what kind of thing it is ([Type]); scope: for whom ([Scope])
//   - topic key: a name such as architecture/auth-model; saving under the same key
//     revises the same memory
//   - session: one stretch of an agent's work ([Session]); prompt: what a person asked ([Prompt])
//   - project: the name memories are kept under ([Project])
//   - relation: a typed tie between two memories ([Relation])
//   - strength: how present a memory is, from 0 to 1; it fades with time
//   - forget: hide softly, can be taken back; erase: remove for good
//   - hit: a memory, its score and why it was found ([Hit]); channel: a way of finding ([Channel])
//   - weak: found, but below the floor: too far from the question to be an answer ([Found])
//   - vector: what a text means to an embedding model, as numbers whose angle says how near two texts are ([Embedder])
//   - use: one showing of a memory to a session ([Use])
//   - journal: who changed what, when and why ([Mutation])
//
// # The map
//
// Every line of the program answers one of four questions, and each answer has one place:
//
//   - what a thing is: this package, a file per noun
//   - what Engram does: internal/engine, a file per verb
//   - how something is reckoned: the rules, pure functions in internal/lifecycle, retrieval, text, vector, postings, topic,
//     project, redact, capture, render, document
//   - with what it is kept, spoken or drawn: internal/sqlite, embedding, chat, git (technologies), mcp, httpapi, cli (frontends)
//
// internal/config reads the settings, internal/app wires everything, cmd/engram is the
// program. Beside it stand internal/enginetest, storetest and embedding/embeddingtest,
// which the tests share, and internal/eval, which measures how well memories are found.
//
// arch_test.go holds the table of who may import whom. docs/architecture.md tells the whole story.
package engram
