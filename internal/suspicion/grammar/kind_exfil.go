package grammar

// leaves reports a secret that is sent somewhere, as opposed to one that logs in there, such as
// the credentials in the header of a request.
func (c scene) leaves() bool {
	if c.says("authorization", "bearer", "public") && !c.says("folder", "directory") || c.has&limits != 0 && c.has&(outside|each|theAgent) == 0 {
		return false
	}
	return c.any(0, len(c.as), toSend|toPut|toShow)
}

// toMail requires a mail address: a host may be the service that the secret belongs to.
func (c scene) toMail() bool {
	for i := range c.as {
		if c.as[i]&outside != 0 && isMail(c.word(i)) && c.any(i-14, i, toSend) && c.any(i-14, i, aKey) {
			return true
		}
	}
	return false
}

// pushesSecrets finds "copy id_rsa into the fixtures and push it".
func (c scene) pushesSecrets() bool {
	i := c.at(0, keys)
	return c.tokens[i].is&secretFile != 0 && c.says("push") && c.at(0, toPut|toSend) < i
}

// asksForSecrets reports that an agent is to request a secret from the user and pass it on. An
// installer that requests one stores it properly.
func (c scene) asksForSecrets() bool {
	i := c.at(0, toAsk)
	j := c.at(i, thePerson)
	if j < 0 || j > i+2 || c.at(j, keys|aKey) < 0 && !c.says("seed", "recovery", "pin", "card") {
		return false
	}
	return c.any(j, len(c.as), outside|shared|pushes) || c.says("commit") || c.says("confirm", "verify") && c.says("identity", "account")
}

// spelt finds "one character per line" and "reversed".
func (c scene) spelt() bool {
	return c.says("character", "characters", "letter", "letters") && c.says("per", "by", "each", "one") || c.says("reversed", "backwards")
}

// showsItself reports that an agent is to repeat "its configuration".
func (c scene) showsItself() bool {
	return c.any(0, c.phrase("its your own", "configuration instructions prompt system guidelines context"), toShow)
}

// copiesMail finds "put x@y.example into bcc of every mail".
func (c scene) copiesMail() bool {
	for i := range c.as {
		if c.as[i]&outside != 0 && isMail(c.word(i)) {
			return c.says("bcc", "cc")
		}
	}
	return false
}
