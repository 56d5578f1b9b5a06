package httpapi

import "net/http"

// forCommands hands a request to who answers the program's own commands; what it has in
// its body is theirs to read.
func (a *API) forCommands(w http.ResponseWriter, q request) error {
	a.Daemon.ServeHTTP(w, q.Request)
	return nil
}
