package verify

func shell(command string) []string { return cmdShell(command) }
