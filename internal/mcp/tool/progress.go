package tool

// Progress tells the client how far a call is: what is being done ("scanning"), how much
// of it is done, and of how much; a total of 0 or less is not known. What is done counts
// up within one kind of work and may begin anew with the next.
//
// It may be called often and from several goroutines: the server tells the client only
// what is news, not too often, and nothing once the call has returned.
type Progress func(what string, done, total int)

// Of is p for a verb that does one kind of work and does not name it; nil for nil.
func (p Progress) Of(what string) func(done, total int) {
	if p == nil {
		return nil
	}
	return func(done, total int) { p(what, done, total) }
}
