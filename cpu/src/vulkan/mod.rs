//! The Vulkan layer over Mesa's lavapipe.
