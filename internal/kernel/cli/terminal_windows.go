package cli

const terminalDevice = "CONIN$"
