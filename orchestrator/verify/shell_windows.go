package verify

func shell(command string) []string { return []string{"cmd", "/d", "/c", command} }
