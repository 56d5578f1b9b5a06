package secret

// Version names the rules: what was looked at by those of another Version may have secrets
// that these find. It is raised with every change of them; a test holds it to that.
const Version = "1"
