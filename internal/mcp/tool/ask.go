package tool

import "context"

// Ask puts a question to the person at the client while a call runs, and waits for
// the answer. ok is false when there is none: the person declined, closed the
// question, took too long or is asked something else just now, the client cannot ask
// after all, or ctx ended. A tool then goes on as if it had not asked; what it wanted
// to know it leaves to a later call.
//
// A tool that writes may ask between two writes: while the person thinks, the writes
// that the client sent after it go on, so what was read before asking may be outdated.
type Ask func(ctx context.Context, q Question) (a Answer, ok bool)

// Question is what a person is asked.
type Question struct {
	// Message is the question, plain text of at most MaxQuestion characters; what is
	// longer is cut. It is shown outside the agent, so it must make sense by itself.
	Message string
	// Choices are the answers there are: at least one, each once, in the order shown.
	Choices []string
	// Reason is how a line of explanation is asked for, which may be left empty; ""
	// asks for none.
	Reason string
}

// Answer is what the person chose.
type Answer struct {
	Choice string // one of Question.Choices
	Reason string // in the person's words, trimmed, at most MaxReason characters, nothing private; "" when none was given
}

// The longest texts of a question and its answer, in characters.
const (
	MaxQuestion = 2000
	MaxReason   = 1000
)
