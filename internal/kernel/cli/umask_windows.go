package cli

func keepOwnersRights() {}
